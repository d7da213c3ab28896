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

package io.holdfast.lock;

/**
 * The {@link LockClient} was closed before the call or while it waited. Nothing is held.
 */
public class LockClientClosedException extends LockException {

	/**
	 * Create the exception of a call.
	 * @param lockName the lock's name; empty if the call is for no certain lock
	 */
	public LockClientClosedException(String lockName) {
		super(lockName, (lockName.isEmpty() ? "T" : "Lock '" + lockName + "': t")
				+ "he lock client is closed. Let work that needs locks end before the application closes the client",
				null);
	}

}
