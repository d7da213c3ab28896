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

import org.jspecify.annotations.Nullable;

/**
 * How a request stands at the server.
 *
 * @param word in one word
 * @param leftMillis what is left of its hold
 * @param token the first fencing token of its hold
 * @param last the last one; of a reader its stamp, and for a place in the queue the
 * latest that the lock has given out; where too many wait, how many
 * @param othersWait whether other requests wait
 * @param sentNanos local time just before the command was sent; 0 until {@link #sentAt}
 * sets it
 * @param next how the next request stands, if the command was a release that asked for it
 */
public record Reply(Word word, long leftMillis, long token, long last, boolean othersWait, long sentNanos,
		@Nullable Reply next) {

	/**
	 * The same by the clock of whoever sent the command.
	 */
	public Reply sentAt(long nanos) {
		return new Reply(this.word, this.leftMillis, this.token, this.last, this.othersWait, nanos,
				(this.next != null) ? this.next.sentAt(nanos) : null);
	}

	/**
	 * Words.
	 */
	public enum Word {

		/** Holds the lock. */
		HOLDS,

		/** Waits in the queue. */
		WAITS,

		/** Has nothing. */
		NONE,

		/** Has nothing: the command came too late. */
		LATE,

		/** Has nothing: too many wait. */
		FULL,

		/** Has nothing, nor has anybody: several have a few servers of a quorum each. */
		SPLIT,

		/** A release has ended its hold, now or when it ran before. */
		RELEASED,

		/** A release has left its place in the queue. */
		LEFT,

		/** A release found nothing: what it was to end had ended otherwise. */
		GONE;

		/**
		 * Whether a request has the lock or a place in its queue.
		 */
		public boolean has() {
			return this == HOLDS || this == WAITS;
		}

	}

}
