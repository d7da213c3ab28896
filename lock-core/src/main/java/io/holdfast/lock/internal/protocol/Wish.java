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

package io.holdfast.lock.internal.protocol;

import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockMode.Kind;

/**
 * What a request asks for.
 *
 * @param mode beside whom it may hold
 * @param fair whether nobody may overtake it, not even readers whose turn it is
 * @param maxWaiters behind how many callers it waits at most; 0 for any number
 */
public record Wish(LockMode mode, boolean fair, int maxWaiters) {

	public static Wish exclusive(boolean fair) {
		return of(LockMode.EXCLUSIVE, fair);
	}

	public static Wish shared(boolean fair) {
		return of(LockMode.SHARED, fair);
	}

	public static Wish of(LockMode mode, boolean fair) {
		return new Wish(mode, fair, 0);
	}

	public Kind kind() {
		return this.mode.kind();
	}

	public int units() {
		return this.mode.units();
	}

	public int limit() {
		return this.mode.limit();
	}

	/**
	 * Whether two cannot hold at the same time, whatever the limit.
	 */
	public boolean excludes(Wish other) {
		return kind() != other.kind() || kind() == Kind.EXCLUSIVE;
	}

	/**
	 * Whether owners in one client may share one hold.
	 */
	public boolean isShared() {
		return kind() == Kind.SHARED;
	}

}
