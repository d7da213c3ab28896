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

package io.holdfast.lock.internal.text;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/**
 * Words durations as properties do.
 */
public final class DurationText {

	private static final Map<String, ChronoUnit> UNITS = Map.of("d", ChronoUnit.DAYS, "h", ChronoUnit.HOURS, "m",
			ChronoUnit.MINUTES, "s", ChronoUnit.SECONDS, "ms", ChronoUnit.MILLIS, "us", ChronoUnit.MICROS, "ns",
			ChronoUnit.NANOS);

	private DurationText() {
	}

	/**
	 * Words a duration in the largest unit of which it is a multiple: {@code 10ms},
	 * {@code 90m}, {@code 366d}.
	 */
	public static String of(Duration duration) {
		if (duration.isZero()) {
			return "0s";
		}
		try {
			return UNITS.entrySet()
				.stream()
				.filter((unit) -> duration.truncatedTo(unit.getValue()).equals(duration))
				.max(Map.Entry.comparingByValue())
				.map((unit) -> duration.dividedBy(unit.getValue().getDuration()) + unit.getKey())
				.orElseThrow();
		}
		catch (ArithmeticException ex) {
			// More than 292 years, to the nanosecond.
			return duration.toString();
		}
	}

	/**
	 * Words a measured duration, to the millisecond.
	 */
	public static String millisOf(Duration duration) {
		return of(duration.truncatedTo(ChronoUnit.MILLIS));
	}

}
