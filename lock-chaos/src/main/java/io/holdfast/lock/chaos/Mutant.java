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

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Holdfast with one mistake, as a class path that goes before that of the right one.
 *
 * @param name one word
 * @param what what is wrong
 * @param changes to its files
 * @param conditions that show it
 * @param topology on which it shows
 */
record Mutant(String name, String what, List<Change> changes, AtomicReference<Conditions> conditions,
		AtomicReference<Topology> topology) {

	private static final Duration CALM = Duration.ofSeconds(3);

	/**
	 * Long enough to see how long something takes while nothing is broken.
	 */
	private static final Duration LONG_CALM = Duration.ofSeconds(6);

	private static final String ROOT = "io/holdfast/lock";

	/**
	 * Reads the mutants that there are.
	 */
	static List<Mutant> all() throws IOException {
		List<Mutant> all = new ArrayList<>();
		InputStream resource = Objects.requireNonNull(Mutant.class.getResourceAsStream("mutants.txt"));
		try (BufferedReader lines = new BufferedReader(new InputStreamReader(resource, StandardCharsets.UTF_8))) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				if (line.startsWith("mutant ")) {
					String[] words = line.split(" +", 3);
					all.add(new Mutant(words[1], words[2], new ArrayList<>(),
							new AtomicReference<>(Conditions.usual(CALM)), new AtomicReference<>(Topology.STANDALONE)));
				}
				else if (!line.isEmpty() && !line.startsWith("#")) {
					all.get(all.size() - 1).read(line);
				}
			}
		}
		return all;
	}

	private void read(String line) {
		String[] words = line.split(" ", 2);
		switch (words[0]) {
			case "on" -> this.topology.set(Topology.valueOf(words[1]));
			case "by" -> this.conditions.updateAndGet((usual) -> usual.often(Fault.valueOf(words[1])));
			case "only" -> this.conditions.updateAndGet((usual) -> usual.only(Fault.valueOf(words[1])).calm(LONG_CALM));
			case "undisturbed" -> this.conditions.updateAndGet((usual) -> usual.only(null));
			case "use" ->
				this.conditions.updateAndGet((usual) -> usual.use(Duration.ofMillis(Long.parseLong(words[1]))));
			case "calm" ->
				this.conditions.updateAndGet((usual) -> usual.calm(Duration.ofMillis(Long.parseLong(words[1]))));
			case "singles" -> this.conditions.updateAndGet((usual) -> usual.singles(Integer.parseInt(words[1])));
			case "in" -> this.changes.add(new Change(words[1], new ArrayList<>(), new ArrayList<>()));
			default -> change(line);
		}
	}

	private void change(String line) {
		Change change = this.changes.get(this.changes.size() - 1);
		((line.charAt(0) == '-') ? change.from() : change.to()).add(line.substring(1));
	}

	/**
	 * Builds it.
	 * @param sources {@code src/main} of lock-core
	 * @param directory where to
	 */
	void build(Path sources, Path directory) throws IOException {
		Map<Path, String> texts = new LinkedHashMap<>();
		for (Change change : this.changes) {
			boolean script = change.file().endsWith(".lua");
			Path file = find(sources.resolve(script ? "resources" : "java"), change.file());
			String text = texts.containsKey(file) ? texts.get(file) : Files.readString(file);
			texts.put(file, change.apply(this.name, Objects.requireNonNull(text)));
		}
		for (Map.Entry<Path, String> each : texts.entrySet()) {
			Path source = each.getKey();
			// Below the directory of resources, or of Java.
			Path file = directory
				.resolve(sources.relativize(source).subpath(1, sources.relativize(source).getNameCount()));
			Files.createDirectories(Objects.requireNonNull(file.getParent()));
			Files.writeString(file, each.getValue());
			if (file.toString().endsWith(".java")) {
				compile(file, directory);
			}
		}
	}

	/**
	 * The one file of a name, in whatever package.
	 */
	private Path find(Path directory, String name) throws IOException {
		try (Stream<Path> files = Files.walk(directory.resolve(ROOT))) {
			List<Path> found = files.filter((file) -> file.endsWith(name)).toList();
			if (found.size() != 1) {
				throw new IllegalStateException("Mutant " + this.name + ": not one but " + found.size() + " " + name);
			}
			return found.get(0);
		}
	}

	private void compile(Path file, Path directory) {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		int code = compiler.run(null, null, null, "-proc:none", "-nowarn", "-cp",
				directory + System.getProperty("path.separator") + System.getProperty("java.class.path"), "-d",
				directory.toString(), file.toString());
		if (code != 0) {
			throw new IllegalStateException("Mutant " + this.name + " does not compile");
		}
	}

	/**
	 * A change of one file.
	 *
	 * @param file its name
	 * @param from lines that must be there once
	 * @param to lines that take their place
	 */
	record Change(String file, List<String> from, List<String> to) {

		String apply(String mutant, String text) {
			String search = String.join("\n", this.from);
			int at = text.indexOf(search);
			if (at < 0 || text.indexOf(search, at + 1) >= 0) {
				throw new IllegalStateException("Mutant " + mutant + ": " + this.file
						+ ((at < 0) ? " does not have" : " has more than once") + ": " + search);
			}
			return text.substring(0, at) + String.join("\n", this.to) + text.substring(at + search.length());
		}

	}

}
