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

package io.holdfast.lock.internal.engine.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whether the simulation finds mistakes: runs it on engines that have one each. Not a
 * part of the build:
 *
 * <pre>
 * mvn -pl lock-local -am test -Dtest=EngineMutants -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 *
 * The property {@code mutant} runs one alone, {@code simulation.seeds} says how many
 * seeds each gets.
 */
class EngineMutants {

	private static final String SEEDS = System.getProperty("simulation.seeds", "20000");

	private static final List<Path> SOURCES = List.of(
			Path.of("../lock-core/src/main/java/io/holdfast/lock/internal/engine"),
			Path.of("src/main/java/io/holdfast/lock/internal/memory"));

	private static final long LIMIT_SECONDS = 180;

	@TempDir
	private Path directory;

	@Test
	@Timeout(value = 30, unit = TimeUnit.MINUTES)
	void theSimulationFindsNineOfTenMutants() throws IOException, InterruptedException {
		String only = System.getProperty("mutant");
		List<String> missed = new ArrayList<>();
		System.out
			.printf("| mutant | what is wrong | seeds | seconds | what the simulation says |%n|---|---|--:|--:|---|%n");
		for (Mutant mutant : all()) {
			if (only == null || only.equals(mutant.name())) {
				String found = run(mutant);
				System.out.printf("| `%s` | %s | %s |%n", mutant.name(), mutant.what(), found);
				if (found.startsWith("**")) {
					missed.add(mutant.name());
				}
			}
		}

		// A few need what hardly ever comes together: some of them take more seeds.
		assertThat(missed).hasSizeLessThanOrEqualTo(all().size() / 10);
	}

	/**
	 * Fails if a mutant does not fit the engine.
	 * @return how many there are
	 */
	static int fit() throws IOException {
		List<Mutant> all = all();
		for (Mutant mutant : all) {
			mutant.apply();
		}
		return all.size();
	}

	private static List<Mutant> all() throws IOException {
		List<Mutant> all = new ArrayList<>();
		try (InputStream text = EngineMutants.class.getResourceAsStream("engine-mutants.txt")) {
			String lines = new String(Objects.requireNonNull(text).readAllBytes(), StandardCharsets.UTF_8);
			for (String line : lines.split("\n", -1)) {
				if (line.startsWith("mutant ")) {
					String[] words = line.split(" +", 3);
					all.add(new Mutant(words[1], words[2], new ArrayList<>(), new ArrayList<>()));
				}
				else if (line.startsWith("-") || line.startsWith("+")) {
					Mutant last = all.get(all.size() - 1);
					(line.startsWith("-") ? last.from() : last.to()).add(line.substring(1));
				}
			}
		}
		return all;
	}

	/**
	 * Runs the simulation in a process of its own, until the first seed that fails.
	 */
	private String run(Mutant mutant) throws IOException, InterruptedException {
		Path classes = Files.createDirectory(this.directory.resolve(mutant.name()));
		compile(mutant, classes);
		Path out = this.directory.resolve(mutant.name() + ".out");
		long start = System.nanoTime();
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:+UseSerialGC", "-cp", classes + System.getProperty("path.separator") + classPath(),
				Seeds.class.getName(), "1", SEEDS)
			.redirectErrorStream(true)
			.redirectOutput(out.toFile())
			.start();
		boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
		process.destroyForcibly().waitFor();
		double seconds = (System.nanoTime() - start) / 1e9;
		String said = Files.readAllLines(out).stream().collect(Collectors.joining(" "));
		String seeds = said.startsWith("seed ") ? said.split(" ", 3)[1] : "**" + SEEDS + "**";
		String error = said.replaceFirst("^seed .*?Error: ", "").replaceAll("\\[key=.*", "");
		boolean found = ended && process.exitValue() != 0;
		return String.format("%s | %.1f | %s", found ? seeds : "**" + SEEDS + "**", seconds,
				found ? error.substring(0, Math.min(error.length(), 120)) : "**nothing**");
	}

	private static void compile(Mutant mutant, Path classes) throws IOException {
		Path source = Files.writeString(classes.resolve(mutant.file().getFileName()), mutant.apply());
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		int code = compiler.run(null, null, null, "-proc:none", "-nowarn", "-cp", classPath(), "-d", classes.toString(),
				source.toString());
		assertThat(code).as("javac " + mutant.name()).isZero();
	}

	private static String classPath() {
		return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
	}

	/**
	 * An engine, or a server, with one mistake.
	 *
	 * @param name one word
	 * @param what what is wrong
	 * @param from lines that must be there once
	 * @param to lines that take their place
	 */
	private record Mutant(String name, String what, List<String> from, List<String> to) {

		/**
		 * The file that it changes.
		 */
		Path file() throws IOException {
			List<Path> found = new ArrayList<>();
			for (Path directory : SOURCES) {
				try (DirectoryStream<Path> sources = Files.newDirectoryStream(directory, "*.java")) {
					for (Path source : sources) {
						if (pattern().matcher(Files.readString(source)).find()) {
							found.add(source);
						}
					}
				}
			}
			assertThat(found).as("%s: where there is %s", this.name, this.from).hasSize(1);
			return found.get(0);
		}

		String apply() throws IOException {
			String text = Files.readString(file());
			assertThat(pattern().matcher(text).results()).as("%s: how often there is %s", this.name, this.from)
				.hasSize(1);
			return pattern().matcher(text).replaceFirst(Matcher.quoteReplacement(String.join("\n", this.to)));
		}

		/**
		 * Its text, however it is broken into lines.
		 */
		private Pattern pattern() {
			return Pattern.compile(Stream.of(String.join(" ", this.from).trim().split("\\s+"))
				.map(Pattern::quote)
				.collect(Collectors.joining("\\s+")));
		}

	}

}
