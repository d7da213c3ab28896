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

package io.holdfast.lock.internal.client;

import java.util.List;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import org.jspecify.annotations.Nullable;

/**
 * Calls each observer even if another one throws.
 */
final class CompositeObserver implements LockObserver {

	private final List<SafeObserver> members;

	CompositeObserver(List<SafeObserver> members) {
		this.members = members;
	}

	@Override
	public Attempt wanted(String name, @Nullable String declaredName, LockType type) {
		// Allocate first: once an observer knows of an attempt, it must also learn how it
		// ended.
		Attempts attempts = new Attempts(this.members.size());
		for (int i = 0; i < this.members.size(); i++) {
			attempts.members[i] = this.members.get(i).wanted(name, declaredName, type);
		}
		return attempts;
	}

	@Override
	public void renewalFailed(String name, LockServerException reason) {
		this.members.forEach((each) -> each.renewalFailed(name, reason));
	}

	@Override
	public void forced(String name) {
		this.members.forEach((each) -> each.forced(name));
	}

	@Override
	public void deadlocked(List<String> names) {
		this.members.forEach((each) -> each.deadlocked(names));
	}

	@Override
	public void started(ClientState client) {
		this.members.forEach((each) -> each.started(client));
	}

	@Override
	public void stopped(ClientState client) {
		this.members.forEach((each) -> each.stopped(client));
	}

	/**
	 * One attempt, as each of the observers follows it.
	 */
	final class Attempts implements Attempt {

		private final Attempt[] members;

		Attempts(int size) {
			this.members = new Attempt[size];
		}

		@Override
		public void acquired(Acquisition how, long waitedNanos) {
			for (int i = 0; i < this.members.length; i++) {
				observers(i).acquired(this.members[i], how, waitedNanos);
			}
		}

		@Override
		public void reentered() {
			for (int i = 0; i < this.members.length; i++) {
				observers(i).reentered(this.members[i]);
			}
		}

		@Override
		public void failed(Failure why, long waitedNanos, @Nullable LockServerException reason) {
			for (int i = 0; i < this.members.length; i++) {
				observers(i).failed(this.members[i], why, waitedNanos, reason);
			}
		}

		@Override
		public void released(Release how, long heldNanos) {
			for (int i = 0; i < this.members.length; i++) {
				observers(i).released(this.members[i], how, heldNanos);
			}
		}

		@Override
		public void lost(LockLoss loss) {
			for (int i = 0; i < this.members.length; i++) {
				observers(i).lost(this.members[i], loss);
			}
		}

		void releasedLater(Release how, long heldNanos) {
			for (int i = 0; i < this.members.length; i++) {
				observers(i).releasedLater(this.members[i], how, heldNanos);
			}
		}

		private SafeObserver observers(int index) {
			return CompositeObserver.this.members.get(index);
		}

	}

}
