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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.holdfast.lock.benchmarks.libraries.Libraries;
import io.holdfast.lock.benchmarks.libraries.Library;

/**
 * The command: {@code [scenario or all] [beginning of a library's name]...}. Prints
 * tables to the standard output, and what it does to the error output. Takes the system
 * properties {@code rounds}, {@code seconds}, {@code quick} and {@code redis.executable}.
 */
public final class Benchmarks {

	private Benchmarks() {
	}

	/**
	 * Measures.
	 * @param args a scenario and libraries
	 * @throws IOException if there is no room for a file
	 */
	public static void main(String[] args) throws IOException {
		List<String> words = List.of(args);
		List<Scenario> scenarios = (words.isEmpty() || words.get(0).equals("all")) ? Scenarios.ALL
				: List.of(Scenarios.named(words.get(0)));
		List<Library> libraries = Libraries.beginningWith(words.subList(Math.min(1, words.size()), words.size()));
		boolean quick = Boolean.getBoolean("quick");
		int rounds = Integer.getInteger("rounds", quick ? 1 : 3);
		Duration measured = Duration
			.ofMillis((long) (1000 * Double.parseDouble(System.getProperty("seconds", quick ? "0.5" : "2"))));
		Path journal = Files.createTempFile("holdfast-benchmarks", ".journal");
		journal.toFile().deleteOnExit();
		Lab lab = new Lab(journal, libraries, rounds, measured, quick);
		System.out.printf("# Lock benchmarks%n%nRedis %s, Java %s, %d processors; medians of %d rounds of %s s.%n%n",
				redisVersion(), System.getProperty("java.version"), Runtime.getRuntime().availableProcessors(), rounds,
				measured.toMillis() / 1000.0);
		for (Scenario scenario : scenarios) {
			System.out.println(scenario.run(lab).markdown());
		}
		// Driver threads may linger
		System.exit(0);
	}

	private static String redisVersion() {
		try (RedisServer redis = new RedisServer()) {
			return redis.version();
		}
	}

}
