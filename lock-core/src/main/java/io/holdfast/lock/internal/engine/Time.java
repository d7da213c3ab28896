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

import java.util.concurrent.TimeUnit;

/**
 * Sums with moments of the monotonic clock, which may be negative and may overflow: only
 * their differences mean anything.
 */
final class Time {

	private Time() {
	}

	static long nanos(long millis) {
		return TimeUnit.MILLISECONDS.toNanos(millis);
	}

	static boolean isReached(long nanos, long nowNanos) {
		return nowNanos - nanos >= 0;
	}

	static long earlier(long nanos, long otherNanos) {
		return (nanos - otherNanos < 0) ? nanos : otherNanos;
	}

	/**
	 * The local deadline of a hold that had {@code leftMillis} left at some moment after
	 * {@code fromNanos}. A thousandth and a millisecond are subtracted, for clock drift
	 * and rounding.
	 */
	static long deadline(long fromNanos, long leftMillis) {
		long left = nanos(leftMillis);
		return fromNanos + left - left / 1000 - nanos(1);
	}

}
