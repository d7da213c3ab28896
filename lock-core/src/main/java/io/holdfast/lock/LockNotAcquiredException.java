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

import java.time.Duration;

/**
 * A lock was held by another, and did not become free within the wait time.
 */
public class LockNotAcquiredException extends LockException {

	private final Duration waitTime;

	/**
	 * Create the exception.
	 * @param lockName the lock's name
	 * @param waitTime how long the caller was ready to wait
	 * @param message what happened, who holds the lock if that is known, and what to do
	 * about it
	 */
	public LockNotAcquiredException(String lockName, Duration waitTime, String message) {
		super(lockName, message, null);
		this.waitTime = waitTime;
	}

	/**
	 * Returns how long the caller was ready to wait.
	 * @return the wait time; zero if the call does not wait
	 */
	public Duration waitTime() {
		return this.waitTime;
	}

}
