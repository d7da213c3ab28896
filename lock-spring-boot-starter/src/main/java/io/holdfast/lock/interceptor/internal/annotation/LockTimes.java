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

package io.holdfast.lock.interceptor.internal.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BinaryOperator;

import io.holdfast.lock.LockOptions;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.convert.LockTime;
import io.holdfast.lock.internal.notice.LimitedLog;
import io.holdfast.lock.internal.text.DurationText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The times of an annotation.
 *
 * @param waitTime the wait time, or {@code null} for the application's
 * @param leaseTime the lease time, or {@code null} for the application's
 * @param holdAtLeast how long the lock is held at least, or {@code null}
 * @param maxHold how long it is held at most, or {@code null} for the application's
 */
record LockTimes(@Nullable Duration waitTime, @Nullable Duration leaseTime, @Nullable Duration holdAtLeast,
		@Nullable Duration maxHold) {

	private static final Duration LONGEST_HOLD = Duration.ofDays(366);

	private static final Duration SHORT_WAIT = Duration.ofMillis(100);

	private static final Duration SHORT_LEASE = Duration.ofSeconds(1);

	private static final Log logger = LogFactory.getLog(LockTimes.class);

	/**
	 * Reads the times of an annotation.
	 * @param method what has it
	 * @param placeholders resolves those in the text of an attribute
	 * @throws InvalidAnnotationException if they are not valid
	 */
	static LockTimes of(Method method, DistributedLock annotation, BinaryOperator<String> placeholders) {
		TimeUnit unit = annotation.timeUnit();
		LockTimes times = new LockTimes(
				read("waitTime", annotation.waitTime(), annotation.waitTimeString(), unit, placeholders),
				read("leaseTime", annotation.leaseTime(), annotation.leaseTimeString(), unit, placeholders),
				read("holdAtLeast", annotation.holdAtLeast(), placeholders),
				read("maxHold", annotation.maxHold(), placeholders));
		times.checkHold();
		warnIfShort("waitTime", annotation.waitTime(), times.waitTime(), SHORT_WAIT, method);
		warnIfShort("leaseTime", annotation.leaseTime(), times.leaseTime(), SHORT_LEASE, method);
		return times;
	}

	private void checkHold() {
		if (this.holdAtLeast == null) {
			return;
		}
		if (this.maxHold != null || (this.leaseTime != null && !this.leaseTime.equals(LockOptions.WATCHDOG))) {
			throw new InvalidAnnotationException("holdAtLeast is set beside leaseTime or maxHold.",
					"Leave the other out: the watchdog renews a lock that is held at least for a time.");
		}
		if (this.holdAtLeast.compareTo(LONGEST_HOLD) > 0 || this.holdAtLeast.toMillis() < 1) {
			throw new InvalidAnnotationException(
					"holdAtLeast is not between 1ms and " + DurationText.of(LONGEST_HOLD) + ".",
					"Leave it out to release the lock when the method is done.");
		}
	}

	/**
	 * A number without a unit is in milliseconds, and one that is as small is meant to be
	 * in seconds.
	 */
	private static void warnIfShort(String attribute, long number, @Nullable Duration time, Duration tooShort,
			Method method) {
		if (number > 0 && time != null && time.compareTo(tooShort) < 0) {
			new LimitedLog(logger).warn(LockedMethod.describe(method) + ": " + attribute + " = " + number + " is "
					+ DurationText.of(time) + ". If it is to be longer, write " + attribute + "String = \"" + number
					+ "s\", or the timeUnit");
		}
	}

	private static @Nullable Duration read(String attribute, long number, String text, TimeUnit unit,
			BinaryOperator<String> placeholders) {
		if (number == Long.MIN_VALUE) {
			return read(attribute + "String", text, placeholders);
		}
		if (!text.isEmpty()) {
			throw new InvalidAnnotationException(attribute + " and " + attribute + "String are both set.",
					"Keep one of them.");
		}
		return (number == Long.MAX_VALUE) ? LockOptions.FOREVER
				: (number == -1) ? LockOptions.WATCHDOG : Duration.ofNanos(unit.toNanos(number));
	}

	private static @Nullable Duration read(String attribute, String text, BinaryOperator<String> placeholders) {
		if (text.isEmpty()) {
			return null;
		}
		String resolved = placeholders.apply(attribute, text);
		// Of a placeholder that is still there the start will know more.
		if (resolved.contains(LockAnnotationParser.PLACEHOLDER)) {
			return null;
		}
		try {
			return LockTime.of(resolved).duration();
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidAnnotationException(attribute + " \"" + text + "\" is not valid: " + ex.getMessage() + ".",
					"Use a duration such as 500ms or 5s, or leave it out.", ex);
		}
	}

}
