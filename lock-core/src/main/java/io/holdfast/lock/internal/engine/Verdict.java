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

package io.holdfast.lock.internal.engine;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * What a waiter would be told now.
 */
public sealed interface Verdict {

	/**
	 * Whether it ends a wait although there is time left.
	 */
	default boolean endsAll() {
		return this == Simple.CLOSED || this == Simple.UPGRADE || this instanceof Full;
	}

	/**
	 * It holds the lock.
	 *
	 * @param grant what it has
	 */
	record Granted(Grant grant) implements Verdict {
	}

	/**
	 * Its owner has lost the lock and has not unlocked since.
	 *
	 * @param grant what it had
	 */
	record Lost(Grant grant) implements Verdict {
	}

	/**
	 * Too many wait already.
	 *
	 * @param waiting how many
	 */
	record Full(int waiting) implements Verdict {
	}

	/**
	 * There is no answer to give.
	 *
	 * @param failure why, or {@code null} if every attempt came to nothing
	 * @param split whether no majority was for one request
	 * @param endsAll whether it ends every wait
	 */
	record Failed(@Nullable RuntimeException failure, boolean split, boolean endsAll) implements Verdict {

		/**
		 * An error has torn what this client knew of a lock.
		 */
		static Failed of(String lock, Throwable error) {
			return new Failed(new LockServerException(lock, Reason.UNAVAILABLE,
					"Lock '" + lock + "': an unexpected error hit what this client knew of it: " + error, error), false,
					true);
		}

	}

	/**
	 * One that needs no more than its name.
	 */
	enum Simple implements Verdict {

		/** Whether another has the lock is not known yet. */
		UNKNOWN,

		/** Another has the lock. */
		OTHER,

		/** The client is closed. */
		CLOSED,

		/** Its owner reads, or has permits, and wants what these are not. */
		UPGRADE

	}

}
