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
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.holdfast.lock.chaos.Conductor.Result;

/**
 * Lets the same faults strike mutants, to see whether the checker finds them.
 */
final class Mutants {

	private static final Duration TIME = Duration.ofSeconds(40);

	private static final long SEED = 1;

	private final PrintStream out;

	Mutants(PrintStream out) {
		this.out = out;
	}

	/**
	 * Runs all, or those that are named.
	 * @return whether there is one for each name, and all were found
	 */
	boolean run(List<String> names) throws IOException, InterruptedException {
		boolean found = Mutant.all().stream().map(Mutant::name).toList().containsAll(names);
		this.out.printf("| mutant | what is wrong | found by | after |%n|---|---|---|---:|%n");
		for (Mutant mutant : Mutant.all()) {
			if (names.isEmpty() || names.contains(mutant.name())) {
				found &= run(mutant);
			}
		}
		return found;
	}

	private boolean run(Mutant mutant) throws IOException, InterruptedException {
		Result result = find(mutant, Files.createTempDirectory("holdfast-mutant"));
		List<Violation> violations = result.findings().violations();
		List<Property> properties = violations.stream().map(Violation::property).distinct().sorted().toList();
		this.out.printf("| `%s` | %s | %s | %d s |%n", mutant.name(), mutant.what(),
				violations.isEmpty() ? "**nothing**" : properties, result.time().toSeconds());
		this.out.flush();
		return !violations.isEmpty();
	}

	/**
	 * Runs one until the first violation.
	 */
	static Result find(Mutant mutant, Path directory) throws IOException, InterruptedException {
		Path classes = Files.createDirectory(directory.resolve("classes"));
		mutant.build(sources(), classes);
		Path history = Files.createDirectory(directory.resolve("history"));
		Plan plan = Plan.of(mutant.topology().get(), Library.HOLDFAST, TIME, SEED, history)
			.conditions(mutant.conditions().get())
			.classPath(classes + System.getProperty("path.separator") + System.getProperty("java.class.path"));
		return new Conductor(plan, true).run();
	}

	/**
	 * The sources of lock-core, from the root of the project or from a module.
	 */
	static Path sources() {
		Path fromRoot = Path.of("lock-core", "src", "main");
		return Files.exists(fromRoot) ? fromRoot : Path.of("..").resolve(fromRoot);
	}

}
