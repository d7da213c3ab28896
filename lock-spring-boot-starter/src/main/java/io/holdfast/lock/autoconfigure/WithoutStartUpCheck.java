/*
 * Copyright 2026 the Holdfast authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.holdfast.lock.autoconfigure;

import java.util.List;

import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import org.jspecify.annotations.Nullable;

/**
 * Tells an observer of the application's locks, and not of that which the
 * {@link StartUpCheck} takes.
 *
 * @param observer who is told
 */
record WithoutStartUpCheck(LockObserver observer) implements LockObserver {

	@Override
	public Attempt wanted(String name, @Nullable String declaredName, LockType type) {
		return name.equals(StartUpCheck.LOCK) ? Attempt.UNOBSERVED : this.observer.wanted(name, declaredName, type);
	}

	@Override
	public void renewalFailed(String name, LockServerException reason) {
		this.observer.renewalFailed(name, reason);
	}

	@Override
	public void forced(String name) {
		this.observer.forced(name);
	}

	@Override
	public void deadlocked(List<String> names) {
		this.observer.deadlocked(names);
	}

	@Override
	public void started(ClientState client) {
		this.observer.started(client);
	}

	@Override
	public void stopped(ClientState client) {
		this.observer.stopped(client);
	}

}
