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

package io.holdfast.lock.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.logging.LogManager;

import io.holdfast.lock.chaos.Conductor.Result;

/**
 * The command: runs, prints a report and ends with code 1 if a promise was broken.
 */
public final class Chaos {

	private static final List<String> OPTIONS = List.of("--minutes", "--seconds", "--seed", "--topology", "--library",
			"--check", "--redis");

	private Chaos() {
	}

	/**
	 * Runs.
	 * @param args options with their values; or {@code mutants} and the names of some,
	 * for all
	 * @throws IOException if files cannot be written
	 * @throws InterruptedException never
	 */
	public static void main(String[] args) throws IOException, InterruptedException {
		LogManager.getLogManager().reset();
		if (args.length > 0 && args[0].equals("mutants")) {
			System.exit(new Mutants(System.out).run(List.of(args).subList(1, args.length)) ? 0 : 1);
		}
		Map<String, String> options = new HashMap<>();
		for (int i = 0; i < args.length; i += 2) {
			if (!OPTIONS.contains(args[i]) || i + 1 == args.length) {
				throw new IllegalArgumentException("Not an option with a value: " + args[i] + ". There are " + OPTIONS);
			}
			options.put(args[i], args[i + 1]);
		}
		Plan plan = plan(options);
		if (options.containsKey("--check")) {
			History history = History.read(plan.history());
			Findings findings = Checker.check(history, plan.library().promises(plan.topology()));
			new Report(System.out).print(plan, new Result(history, findings, history.time()));
			System.exit(findings.violations().isEmpty() ? 0 : 1);
		}
		System.err.println("History: " + plan.history());
		Result result = new Conductor(plan, false).run();
		new Report(System.out).print(plan, result);
		System.exit(result.findings().violations().isEmpty() ? 0 : 1);
	}

	private static Plan plan(Map<String, String> options) throws IOException {
		Duration time = options.containsKey("--seconds") ? Duration.ofSeconds(Long.parseLong(options.get("--seconds")))
				: Duration.ofMinutes(Long.parseLong(options.getOrDefault("--minutes", "10")));
		return Plan
			.of(Topology.valueOf(upper(options.getOrDefault("--topology", "standalone"))),
					Library.valueOf(upper(options.getOrDefault("--library", "holdfast"))), time,
					Long.parseLong(options.getOrDefault("--seed", "1")),
					options.containsKey("--check") ? Path.of(options.get("--check"))
							: Files.createTempDirectory("holdfast-chaos"))
			.arguments(options.containsKey("--redis") ? List.of(options.get("--redis").split(" ", -1)) : List.of());
	}

	private static String upper(String word) {
		return word.toUpperCase(Locale.ROOT);
	}

}
