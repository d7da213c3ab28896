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
 * What callers are told who got no answer of use.
 */
final class Failures {

	private Failures() {
	}

	/**
	 * Whether a command that failed so may be carried out all the same, now or later. One
	 * that was refused is not: if it was sent before, in vain, it counts as one without
	 * an answer. Only Lettuce does not tell that it sent a command again; what the first
	 * one got, if the second one is refused, ends with its lease.
	 */
	static boolean mayTakeEffect(LockServerException failure) {
		return failure.reason() == Reason.TIMED_OUT || failure.reason() == Reason.UNAVAILABLE;
	}

	static LockServerException split(String name) {
		return failure(name, Reason.UNAVAILABLE,
				"several clients asked the servers of its quorum at once, and none had a majority");
	}

	static LockServerException late(String name, int times) {
		return failure(name, Reason.TIMED_OUT, "Redis received " + times + " request(s) too late to act on them");
	}

	static LockServerException overBeforeUse(String name) {
		return failure(name, Reason.TIMED_OUT, "it was granted, but its lease was over before this was known");
	}

	static LockServerException noAnswer(String name) {
		return failure(name, Reason.TIMED_OUT, "Redis has not answered the thread that asked first");
	}

	static LockServerException tooFewToRenew(String name) {
		return failure(name, Reason.TIMED_OUT, "too few servers answered to prolong its lease");
	}

	static LockServerException discarded(String name, Throwable cause) {
		return failure(name, Reason.UNAVAILABLE, "an unexpected error hit what this client knew of it: " + cause,
				cause);
	}

	private static LockServerException failure(String name, Reason reason, String message) {
		return failure(name, reason, message, null);
	}

	private static LockServerException failure(String name, Reason reason, String message, @Nullable Throwable cause) {
		return new LockServerException(name, reason, "Lock '" + name + "': " + message, cause);
	}

}
