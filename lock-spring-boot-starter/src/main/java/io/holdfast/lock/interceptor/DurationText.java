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

package io.holdfast.lock.interceptor;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

import org.springframework.boot.convert.DurationStyle;

/**
 * Durations in messages, as users write them in properties: {@code 10ms}, {@code 366d}.
 */
public final class DurationText {

	private static final List<ChronoUnit> UNITS = List.of(ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES,
			ChronoUnit.SECONDS, ChronoUnit.MILLIS, ChronoUnit.MICROS);

	private DurationText() {
	}

	/**
	 * Return a duration in the largest unit of which it is a multiple.
	 * @param duration the duration
	 * @return the text
	 */
	public static String of(Duration duration) {
		return DurationStyle.SIMPLE.print(duration, unitOf(duration));
	}

	private static ChronoUnit unitOf(Duration duration) {
		if (duration.isZero()) {
			return ChronoUnit.SECONDS;
		}
		return UNITS.stream()
			.filter((unit) -> duration.truncatedTo(unit).equals(duration))
			.findFirst()
			.orElse(ChronoUnit.NANOS);
	}

}
