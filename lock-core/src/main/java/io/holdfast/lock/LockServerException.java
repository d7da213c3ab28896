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

import org.jspecify.annotations.Nullable;

/**
 * The server did not do what was asked. It does not tell whether anybody holds the lock.
 */
public class LockServerException extends LockException {

	private final Reason reason;

	/**
	 * Create the exception.
	 * @param lockName the lock's name
	 * @param reason what kind of failure it was
	 * @param message what happened and what to do about it
	 * @param cause the failure as the driver reported it
	 */
	public LockServerException(String lockName, Reason reason, String message, @Nullable Throwable cause) {
		super(lockName, message, cause);
		this.reason = reason;
	}

	/**
	 * Returns what kind of failure it was.
	 * @return the reason
	 */
	public Reason reason() {
		return this.reason;
	}

	/**
	 * Kinds of failure.
	 */
	public enum Reason {

		/**
		 * No connection to the server could be had. What was asked before in the same
		 * wait, or of other servers of a quorum, the client undoes.
		 */
		UNREACHABLE,

		/**
		 * The server did not answer in time, the connection broke before the answer, or
		 * what came was none. It is not known whether it acted; if it did, the client
		 * undoes it.
		 */
		TIMED_OUT,

		/**
		 * The server is there and will not do it for now: it is loading, fails over, or
		 * runs another script. This passes with time.
		 */
		UNAVAILABLE,

		/**
		 * The server answered with an error that does not pass by itself: missing
		 * permission, no memory, a key of another type. Nothing was changed.
		 */
		REFUSED

	}

}
