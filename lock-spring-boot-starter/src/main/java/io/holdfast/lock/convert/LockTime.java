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

package io.holdfast.lock.convert;

import java.time.Duration;
import java.util.Locale;

import io.holdfast.lock.LockOptions;
import io.holdfast.lock.internal.text.DurationText;

import org.springframework.boot.convert.DurationStyle;

/**
 * A time as properties, annotations and requests have it: a duration with its unit, or a
 * word where there is one. Spring converts text with {@link #of}.
 *
 * @param duration the time; {@link LockOptions#WATCHDOG} or {@link LockOptions#FOREVER}
 * for a word
 */
public record LockTime(Duration duration) {

	/**
	 * Reads a time. A number without a unit would be milliseconds, which is rarely meant.
	 * @param text a duration, or a word
	 * @return the time
	 * @throws IllegalArgumentException if the text is neither a time nor a word
	 */
	public static LockTime of(String text) {
		String time = text.strip();
		return switch (time.toLowerCase(Locale.ROOT)) {
			case "watchdog" -> new LockTime(LockOptions.WATCHDOG);
			case "forever" -> new LockTime(LockOptions.FOREVER);
			default -> new LockTime(parse(time));
		};
	}

	/**
	 * Reads a number as YAML has it, which only makes sense if it is 0.
	 * @param number the number
	 * @return the time
	 * @throws IllegalArgumentException if it is another one, as that has no unit
	 */
	public static LockTime of(Integer number) {
		return of(number.toString());
	}

	private static Duration parse(String time) {
		if (time.startsWith("-")) {
			throw new IllegalArgumentException("'" + time + "' is negative. Write watchdog for a lease that is renewed "
					+ "until the release, forever for a wait without end");
		}
		if (time.matches("[+]?0*[1-9]\\d*")) {
			throw new IllegalArgumentException("'" + time + "' has no unit. Write " + time + "s or " + time + "ms");
		}
		Duration duration = DurationStyle.detectAndParse(time);
		if (duration.isNegative()) {
			throw new IllegalArgumentException("'" + time + "' is negative");
		}
		return duration;
	}

	@Override
	public String toString() {
		return this.duration.equals(LockOptions.WATCHDOG) ? "watchdog"
				: this.duration.equals(LockOptions.FOREVER) ? "forever" : DurationText.of(this.duration);
	}

}
