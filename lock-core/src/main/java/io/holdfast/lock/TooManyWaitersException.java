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
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * As many callers wait for a lock as may, so that this one was told at once.
 *
 * @see LockOptions#maxWaiters(int)
 */
public class TooManyWaitersException extends LockNotAcquiredException {

	private final int waiting;

	private final @Nullable Duration forecast;

	/**
	 * Create the exception.
	 * @param lockName the lock's name
	 * @param waitTime how long the caller was ready to wait
	 * @param message what happened, and what to do about it
	 * @param waiting how many wait
	 * @param forecast after which time these will have had the lock, or {@code null}
	 */
	public TooManyWaitersException(String lockName, Duration waitTime, String message, int waiting,
			@Nullable Duration forecast) {
		super(lockName, waitTime, message);
		this.waiting = waiting;
		this.forecast = forecast;
	}

	/**
	 * Returns how many callers of all clients wait, counted up to the number that may.
	 * @return the number of callers
	 */
	public int waiting() {
		return this.waiting;
	}

	/**
	 * Returns after which time those who wait will have had the lock, if they have it for
	 * as long as owners of this client that were bounded so had it lately.
	 * @return the time; empty if there were none
	 */
	public Optional<Duration> forecast() {
		return Optional.ofNullable(this.forecast);
	}

}
