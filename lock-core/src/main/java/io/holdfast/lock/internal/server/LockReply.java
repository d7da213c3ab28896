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

package io.holdfast.lock.internal.server;

import org.jspecify.annotations.Nullable;

/**
 * How a request stands in Redis, and when that was asked for.
 *
 * @param state what the request has
 * @param leftMillis what was left of the current hold, whoever has it
 * @param token the first fencing token of the hold, if the request holds
 * @param last the last fencing token that the lock has given out
 * @param awaited whether requests wait in the queue
 * @param before how many places are before that of the request, if it waits
 * @param serverMillis the server's time when it answered
 * @param sentNanos the local monotonic time before it was asked
 * @param holder the request that has the lock on one server of a quorum, if that said so
 */
public record LockReply(State state, long leftMillis, long token, long last, boolean awaited, long before,
		long serverMillis, long sentNanos, @Nullable String holder) {

	public enum State {

		/** Holds the lock. */
		HOLDS,

		/** Waits in the queue. */
		WAITS,

		/** Has nothing. */
		NONE,

		/** Has nothing: it came too late, or its hold or its place is over. */
		LATE,

		/** Has nothing, nor has anybody: several have a few servers of a quorum each. */
		SPLIT,

		/** The server runs for too short a time to know who holds the lock. */
		STARTING,

		/** Too few servers of a quorum have answered to tell. */
		UNKNOWN

	}

	public LockReply(State state, long leftMillis, long token, long last, boolean awaited, long before,
			long serverMillis, long sentNanos) {
		this(state, leftMillis, token, last, awaited, before, serverMillis, sentNanos, null);
	}

	/**
	 * The same for somebody who wants no more than that of a hold.
	 */
	public LockReply atMost(long millis) {
		return new LockReply(this.state, Math.min(this.leftMillis, millis), this.token, this.last, this.awaited,
				this.before, this.serverMillis, this.sentNanos);
	}

	public boolean holds() {
		return this.state == State.HOLDS;
	}

	/**
	 * Whether the server knows who holds the lock.
	 */
	public boolean knows() {
		return this.state != State.STARTING;
	}

}
