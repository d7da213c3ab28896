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

package io.holdfast.lock.local;

import java.time.Duration;

import io.holdfast.lock.LockType;

/**
 * Watches what the callers of a {@link LocalLockClient} acquire, and may cut their waits
 * short: for tests. Called on the thread of the caller, whom it must not block; must not
 * throw, nor use locks.
 */
public interface LocalLockObserver {

	/**
	 * A caller is about to ask for a lock that its thread does not hold. Not called for a
	 * wait without end.
	 * @param name the lock
	 * @param waitTime how long the caller is ready to wait; zero for a single attempt
	 * @return how long it waits instead; not negative
	 */
	default Duration waitTime(String name, Duration waitTime) {
		return waitTime;
	}

	/**
	 * A caller got a lock that it did not hold, and has not seen it yet.
	 * @param name the lock
	 * @param type the order for which it asked
	 */
	default void acquired(String name, LockType type) {
	}

}
