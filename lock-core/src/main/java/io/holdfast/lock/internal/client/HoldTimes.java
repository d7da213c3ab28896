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

package io.holdfast.lock.internal.client;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * How long owners have had locks lately, on average, by what these are called in metrics,
 * or else by their names. Thread-safe.
 */
final class HoldTimes {

	/** Of more names it forgets all. */
	private static final int MAX_NAMES = 1000;

	/** The latest one counts as one of so many. */
	private static final int WEIGHT = 8;

	private final Map<String, Long> means = new ConcurrentHashMap<>();

	private static String nameOf(Want want) {
		return (want.declaredName() != null) ? want.declaredName() : want.name();
	}

	void add(Want want, long nanos) {
		if (this.means.size() > MAX_NAMES) {
			this.means.clear();
		}
		this.means.merge(nameOf(want), nanos, (mean, latest) -> mean + (latest - mean) / WEIGHT);
	}

	/**
	 * After which time so many who want the same will have had it.
	 */
	@Nullable Duration forecast(Want want, int waiting) {
		Long mean = this.means.get(nameOf(want));
		long units = (long) waiting * want.wish().mode().units();
		return (mean != null) ? Duration.ofNanos(mean).multipliedBy(units).dividedBy(want.wish().mode().limit()) : null;
	}

}
