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

package io.holdfast.lock.chaos;

import org.jspecify.annotations.Nullable;

/**
 * What a client process has of a {@link Library}: it asks for locks, and says how that
 * ended in words that are the same for all libraries.
 */
interface Session extends AutoCloseable {

	/**
	 * Returns how the server knows this client, or an empty text.
	 */
	String id();

	/**
	 * Whether those who ask in this way get the lock in the order of their requests.
	 */
	boolean isFair(LockRequest request);

	/**
	 * Acquires a lock.
	 * @return the hold, or {@code null} if another kept the lock
	 */
	@Nullable Hold acquire(LockRequest request) throws InterruptedException;

	/**
	 * Returns how a call of this session, or of a hold, has ended that threw.
	 */
	Outcome outcomeOf(Exception thrown);

	@Override
	void close();

	/**
	 * A lock that was acquired.
	 */
	interface Hold {

		/**
		 * Returns the fencing token.
		 * @return the token, or zero if the library has none
		 */
		long token();

		boolean isHeld();

		/**
		 * Whether it may be held, although {@link #isHeld()} is {@code false}.
		 * @return whether the library does not know
		 */
		default boolean isUnsure() {
			return false;
		}

		/**
		 * Returns how much longer it is certainly held.
		 * @return the time, or zero if the library does not say
		 */
		long validNanos();

		/**
		 * Returns how often it was acquired and not yet released.
		 * @return the number, or -1 if nobody can say
		 */
		int holdCount();

		/**
		 * Acquires it again.
		 * @return whether that is possible
		 */
		boolean reenter();

		void release();

	}

}
