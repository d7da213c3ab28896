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

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

import io.holdfast.lock.benchmarks.libraries.Library;

/**
 * What a scenario works with.
 *
 * @param journal the file that {@link Journal} is in
 * @param libraries which to measure
 * @param rounds how often each has its turn
 * @param measured how long one measurement takes
 * @param quick whether to see that everything runs rather than how fast
 */
record Lab(Path journal, List<Library> libraries, int rounds, Duration measured, boolean quick) {

	private static final int LONGEST_MESSAGE = 200;

	/**
	 * Measures each library in turn, and all of that as often as there are rounds. A
	 * failure is a note in the results and ends nothing else.
	 */
	void eachRound(Results results, Predicate<Library> whom, Measurement measurement) {
		measure(results, whom, measurement, this.rounds);
	}

	/**
	 * Measures each library once: for counts, which do not vary.
	 */
	void once(Results results, Predicate<Library> whom, Measurement measurement) {
		measure(results, whom, measurement, 1);
	}

	private void measure(Results results, Predicate<Library> whom, Measurement measurement, int rounds) {
		for (int round = 1; round <= rounds; round++) {
			for (Library library : this.libraries) {
				if (!whom.test(library)) {
					continue;
				}
				System.err.printf("%s, round %d of %d: %s%n", results.title(), round, rounds, library.name());
				try {
					measurement.measure(library, results.of(library, round));
				}
				catch (RuntimeException ex) {
					results.note(library.name() + " failed: " + beginningOf(String.valueOf(ex.getMessage())));
				}
			}
		}
	}

	private static String beginningOf(String message) {
		return message.substring(0, Math.min(message.length(), LONGEST_MESSAGE));
	}

	/**
	 * Starts workers on an empty server.
	 */
	Crew crew(Scenario scenario, Library library, int processes, int threads) {
		return new Crew(scenario, library, this.journal, processes, threads);
	}

	/**
	 * A measurement of one library in one round.
	 */
	interface Measurement {

		void measure(Library library, Results.Recorder recorder);

	}

}
