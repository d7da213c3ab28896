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

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A lock library under test, as one client process uses it.
 */
interface LockLibrary extends AutoCloseable {

	/**
	 * How the server knows this client, or the empty text.
	 */
	String id();

	/**
	 * Whether it lets those who want a lock in this way have it in order.
	 */
	boolean isInOrder(Wish wish);

	/**
	 * Acquires a lock.
	 * @return the hold, or {@code null} if another kept the lock
	 */
	@Nullable Hold acquire(Wish wish) throws InterruptedException;

	/**
	 * Sorts what a call threw.
	 */
	Outcome outcomeOf(Exception thrown);

	@Override
	void close();

	/**
	 * What a thread wants.
	 *
	 * @param lock name of the lock
	 * @param fair whether in order, where the library can do that
	 * @param handle whether a handle shall own it, if the library has that, and not the
	 * thread
	 * @param maxWait longest wait; negative for one without end
	 * @param lease lease time, or {@code null} to be renewed
	 */
	record Wish(String lock, boolean fair, boolean handle, Duration maxWait, @Nullable Duration lease) {

		boolean waitsForEver() {
			return this.maxWait.isNegative();
		}

	}

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
		 * Returns how much longer it is certainly held.
		 * @return the time, or zero if the library does not say
		 */
		long validNanos();

		/**
		 * Returns how often it was acquired and not yet released.
		 * @return the number, or -1 if nobody can say
		 */
		int depth();

		/**
		 * Acquires it again.
		 * @return whether that is possible
		 */
		boolean enter();

		void release();

	}

}
