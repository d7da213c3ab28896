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

package io.holdfast.lock.benchmarks;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Whole numbers by name: what a worker is told and what it answers, as one line of text.
 *
 * @param byName the numbers
 */
record Numbers(Map<String, Long> byName) {

	static Numbers none() {
		return new Numbers(Map.of());
	}

	static Numbers of(String name, long number) {
		return none().and(name, number);
	}

	Numbers and(String name, long number) {
		Map<String, Long> more = new LinkedHashMap<>(this.byName);
		more.put(name, number);
		return new Numbers(more);
	}

	long get(String name) {
		Long number = this.byName.get(name);
		if (number == null) {
			throw new IllegalArgumentException("No " + name + " in " + this);
		}
		return number;
	}

	static Numbers parse(String line) {
		return new Numbers(Arrays.stream(line.split(" ", -1))
			.filter((word) -> word.contains("="))
			.map((word) -> word.split("=", 2))
			.collect(Collectors.toMap((word) -> word[0], (word) -> Long.valueOf(word[1]))));
	}

	@Override
	public String toString() {
		return this.byName.entrySet()
			.stream()
			.map((entry) -> entry.getKey() + "=" + entry.getValue())
			.collect(Collectors.joining(" "));
	}

}
