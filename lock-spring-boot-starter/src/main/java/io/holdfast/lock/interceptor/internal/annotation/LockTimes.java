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

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import io.holdfast.lock.LockOptions;
import io.holdfast.lock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;

/**
 * The times of an annotation.
 *
 * @param waitTime the wait time, or {@code null} for the application's
 * @param leaseTime the lease time, or {@code null} for the application's
 */
record LockTimes(@Nullable Duration waitTime, @Nullable Duration leaseTime) {

	private static final long DEFAULT = -1;

	/**
	 * Reads the times of an annotation.
	 * @param placeholders resolves placeholders in text
	 * @throws InvalidAnnotationException if they are not valid
	 */
	static LockTimes of(DistributedLock annotation, UnaryOperator<String> placeholders) {
		Reader reader = new Reader(annotation.timeUnit(), placeholders);
		return new LockTimes(
				reader.read("waitTime", annotation.waitTime(), annotation.waitTimeString(), UnaryOperator.identity()),
				reader.read("leaseTime", annotation.leaseTime(), annotation.leaseTimeString(),
						LockTimes::checkLeaseTime));
	}

	/**
	 * Checks a lease time without a word of the watchdog, which no annotation can ask
	 * for: its -1 is the application's default.
	 */
	private static Duration checkLeaseTime(Duration time) {
		if (time.compareTo(LockOptions.MIN_LEASE) < 0 || time.compareTo(LockOptions.MAX_LEASE) > 0) {
			throw new IllegalArgumentException("it must be between " + LockOptions.describe(LockOptions.MIN_LEASE)
					+ " and " + LockOptions.describe(LockOptions.MAX_LEASE));
		}
		return time;
	}

	/**
	 * Reads one time, which an annotation may give as a number or as text.
	 */
	private record Reader(TimeUnit unit, UnaryOperator<String> placeholders) {

		@Nullable Duration read(String attribute, long number, String text, UnaryOperator<Duration> check) {
			if (text.isEmpty()) {
				return read(attribute, Long.toString(number), check);
			}
			if (number != DEFAULT) {
				throw new InvalidAnnotationException(attribute + " and " + attribute + "String are both set.",
						"Keep one of them.");
			}
			return read(attribute + "String", resolve(attribute + "String", text), check);
		}

		private String resolve(String attribute, String text) {
			try {
				return this.placeholders.apply(text);
			}
			catch (IllegalArgumentException ex) {
				throw new InvalidAnnotationException(
						attribute + " \"" + text + "\" cannot be resolved: " + ex.getMessage() + ".",
						"Define the property, or give a default: ${property:5s}.", ex);
			}
		}

		private @Nullable Duration read(String attribute, String text, UnaryOperator<Duration> check) {
			// Of a placeholder that is still there the start will know more.
			if (text.equals(Long.toString(DEFAULT)) || text.contains(LockAnnotationParser.PLACEHOLDER)) {
				return null;
			}
			if (text.equals(Long.toString(Long.MAX_VALUE)) && attribute.startsWith("wait")) {
				return LockOptions.FOREVER;
			}
			try {
				Duration time = DurationStyle.detectAndParse(text, this.unit.toChronoUnit());
				if (time.isNegative()) {
					throw new IllegalArgumentException("it is negative");
				}
				return check.apply(time);
			}
			catch (IllegalArgumentException | ArithmeticException ex) {
				throw new InvalidAnnotationException(
						attribute + " \"" + text + "\" is not valid: " + ex.getMessage() + ".",
						"Use a duration such as 500ms or 5s, a number in the annotation's timeUnit, or -1 for the "
								+ "application's default, " + (attribute.startsWith("wait") ? "holdfast.lock.wait-time."
										: "holdfast.lock.lease-time."),
						ex);
			}
		}

	}

}
