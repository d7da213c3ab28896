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
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.holdfast.lock.LockOptions;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.internal.notice.LimitedLog;
import io.holdfast.lock.internal.text.DurationText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;

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

	private static final long UNSET = Long.MIN_VALUE;

	private static final Map<String, Duration> ENDLESS = Map.of("forever", LockOptions.FOREVER,
			Long.toString(Long.MAX_VALUE), LockOptions.FOREVER);

	private static final Kind WAIT = new Kind("waitTime", ENDLESS, LockOptions.defaults()::waitTime,
			"forever (Long.MAX_VALUE). Without waitTime, holdfast.lock.wait-time is used.");

	private static final Kind LEASE = new Kind("leaseTime",
			Map.of("watchdog", LockOptions.WATCHDOG, "-1", LockOptions.WATCHDOG), LockOptions.defaults()::leaseTime,
			"watchdog (-1). Without leaseTime, holdfast.lock.lease-time is used.");

	private static final Kind HOLD = new Kind("holdAtLeast", Map.of(), LockTimes::checkLength,
			"leave it out: then the lock is released when the method is done.");

	private static final Kind MAX_HOLD = new Kind("maxHold", Map.of("forever", LockOptions.FOREVER),
			LockOptions.defaults()::maxHold, "forever. Without maxHold, holdfast.lock.max-hold is used.");

	private static final Duration LONGEST_HOLD = Duration.ofDays(366);

	private static final Duration SHORT_WAIT = Duration.ofMillis(100);

	private static final Duration SHORT_LEASE = Duration.ofSeconds(1);

	private static final Log logger = LogFactory.getLog(LockTimes.class);

	/**
	 * Reads the times of an annotation.
	 * @param method what has it
	 * @param placeholders resolves placeholders in text
	 * @throws InvalidAnnotationException if they are not valid
	 */
	static LockTimes of(Method method, DistributedLock annotation, UnaryOperator<String> placeholders) {
		TimeUnit unit = annotation.timeUnit();
		LockTimes times = new LockTimes(
				WAIT.read(annotation.waitTime(), annotation.waitTimeString(), unit, placeholders),
				LEASE.read(annotation.leaseTime(), annotation.leaseTimeString(), unit, placeholders),
				HOLD.read(HOLD.attribute, annotation.holdAtLeast(), placeholders),
				MAX_HOLD.read(MAX_HOLD.attribute, annotation.maxHold(), placeholders));
		times.checkHold();
		warnIfShort("waitTime", annotation.waitTime(), times.waitTime(), SHORT_WAIT, method);
		warnIfShort("leaseTime", annotation.leaseTime(), times.leaseTime(), SHORT_LEASE, method);
		return times;
	}

	private void checkHold() {
		if (this.holdAtLeast != null && this.leaseTime != null && !this.leaseTime.equals(LockOptions.WATCHDOG)) {
			throw new InvalidAnnotationException("holdAtLeast and leaseTime are both set.",
					"Leave leaseTime out: the watchdog renews a lock that is held at least for a time.");
		}
		if (this.holdAtLeast != null && this.maxHold != null) {
			throw new InvalidAnnotationException("holdAtLeast and maxHold are both set.", "Keep one of them.");
		}
	}

	private static void checkLength(Duration time) {
		if (time.toMillis() < 1 || time.compareTo(LONGEST_HOLD) > 0) {
			throw new IllegalArgumentException("it is not between 1ms and " + DurationText.of(LONGEST_HOLD));
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

	/**
	 * One of the times.
	 *
	 * @param attribute the attribute's name; if that is a number, {@code <name>String} is
	 * the text
	 * @param words texts that stand for a time
	 * @param check refuses what is out of bounds
	 * @param advice what may be written instead
	 */
	private record Kind(String attribute, Map<String, Duration> words, Consumer<Duration> check, String advice) {

		@Nullable Duration read(long number, String text, TimeUnit unit, UnaryOperator<String> placeholders) {
			if (number == UNSET) {
				return read(this.attribute + "String", text, placeholders);
			}
			if (!text.isEmpty()) {
				throw new InvalidAnnotationException(this.attribute + " and " + this.attribute + "String are both set.",
						"Keep one of them.");
			}
			return parse(this.attribute, Long.toString(number), unit);
		}

		@Nullable Duration read(String source, String text, UnaryOperator<String> placeholders) {
			if (text.isEmpty()) {
				return null;
			}
			String resolved = resolve(source, text, placeholders);
			// Of a placeholder that is still there the start will know more.
			return resolved.contains(LockAnnotationParser.PLACEHOLDER) ? null : parse(source, resolved, null);
		}

		private static String resolve(String source, String text, UnaryOperator<String> placeholders) {
			try {
				return placeholders.apply(text);
			}
			catch (IllegalArgumentException ex) {
				throw new InvalidAnnotationException(
						source + " \"" + text + "\" cannot be resolved: " + ex.getMessage() + ".",
						"Define the property, or give a default: ${property:5s}.", ex);
			}
		}

		private Duration parse(String source, String text, @Nullable TimeUnit unit) {
			Duration word = this.words.get(text);
			if (word != null) {
				return word;
			}
			try {
				if (unit == null && text.matches("[+-]?0*[1-9]\\d*")) {
					throw new IllegalArgumentException("it has no unit");
				}
				Duration time = DurationStyle.detectAndParse(text, (unit != null) ? unit.toChronoUnit() : null);
				this.check.accept(time);
				return time;
			}
			catch (IllegalArgumentException | ArithmeticException ex) {
				throw new InvalidAnnotationException(
						source + " \"" + text + "\" is not valid: " + ex.getMessage() + ".",
						"Use a duration such as 500ms or 5s, or " + this.advice, ex);
			}
		}

	}

}
