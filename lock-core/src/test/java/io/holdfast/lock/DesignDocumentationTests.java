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

package io.holdfast.lock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the documentation names exists: tests, classes, and fields in Redis. Reads files,
 * runs nothing.
 */
class DesignDocumentationTests {

	private static final Path ROOT = Path.of("..");

	private static final Path MAIN = Path.of("src/main");

	private static final int FAULTS = 64;

	/**
	 * The first and the last cell of a row.
	 */
	private static final Pattern ROW = Pattern.compile("^\\| *([^|]*?) *\\|.*\\| *([^|]*?) *\\|$", Pattern.MULTILINE);

	private static final Pattern FIRST_CELL = Pattern.compile("^\\|([^|]*)\\|", Pattern.MULTILINE);

	private static final Pattern NAME = Pattern.compile("`([^`]+)`");

	/**
	 * A field of a hash, with the colon that an id follows.
	 */
	private static final Pattern FIELD = Pattern.compile("^(\\w:|\\w+)", Pattern.MULTILINE);

	private static final Pattern TEST = Pattern.compile("([A-Z]\\w*)(?:\\.(\\w+))?");

	@ParameterizedTest
	@ValueSource(strings = { "guarantees.md", "internals/faults.md" })
	void testsThatAreNamedExist(String page) throws IOException {
		List<String> names = rows(page).flatMap((row) -> NAME.matcher(row.group(2)).results())
			.map((name) -> name.group(1))
			.toList();

		assertThat(names).hasSizeGreaterThan(20);
		for (String name : names) {
			assertThat(exists(name)).as(name).isTrue();
		}
	}

	@Test
	void everyFaultHasOneRow() throws IOException {
		List<MatchResult> rows = rows("internals/faults.md").filter((row) -> row.group(1).matches("\\d+")).toList();

		assertThat(rows).extracting((row) -> Integer.valueOf(row.group(1)))
			.isEqualTo(IntStream.rangeClosed(1, FAULTS).boxed().toList());
		assertThat(rows).extracting((row) -> row.group(2)).doesNotContain("");
	}

	@Test
	void roomsThatTheDesignNamesExist() throws IOException {
		List<String> rooms = ROW.matcher(design("## Rooms", "### "))
			.results()
			.flatMap((row) -> names(row.group(1)))
			.map((name) -> name.replace('.', '/'))
			.toList();

		assertThat(rooms).hasSizeGreaterThan(4)
			.allSatisfy((name) -> assertThat(inSomeModule(name + "/package-info.java")).as(name).isTrue());
	}

	/**
	 * In the room under whose heading they stand.
	 */
	@Test
	void classesThatTheDesignNamesAreInTheirRooms() throws IOException {
		int classes = 0;
		for (String section : sections()) {
			String heading = section.substring(0, section.indexOf('\n'));
			List<String> folders = names(heading).map((room) -> room.replace("io.holdfast.lock", "").replace('.', '/'))
				.toList();
			for (String type : FIRST_CELL.matcher(section).results().flatMap((row) -> names(row.group(1))).toList()) {
				assertThat(folders).as(type)
					.anySatisfy((folder) -> assertThat(inSomeModule(folder + "/" + type + ".java")).isTrue());
				classes++;
			}
		}

		assertThat(classes).isGreaterThan(80);
	}

	@Test
	void testsThatTheDesignNamesExist() throws IOException {
		for (String section : sections()) {
			int start = section.indexOf("**Tests.**");
			int end = section.indexOf("\n\n", start);
			String tests = section.substring(start, (end > 0) ? end : section.length());
			assertThat(names(tests).filter((name) -> Character.isUpperCase(name.charAt(0)))).isNotEmpty()
				.allSatisfy((name) -> assertThat(exists(name)).as(name).isTrue());
		}
	}

	@Test
	void fieldsThatTheDesignNamesAreThoseOfTheScripts() throws IOException {
		Path scripts = MAIN.resolve("resources/io/holdfast/lock/internal/single");
		String script = Files.readString(scripts.resolve("mutex.lua"))
				+ Files.readString(scripts.resolve("mutex-evict.lua"));
		List<String> fields = FIELD.matcher(design("> HGETALL", "```"))
			.results()
			.map((field) -> field.group(1))
			.toList();

		assertThat(fields).hasSizeGreaterThan(10).allSatisfy((field) -> assertThat(script).contains("'" + field + "'"));
	}

	/**
	 * What stands in the description of the design from one text to the next.
	 */
	private static String design(String from, String to) throws IOException {
		String page = Files.readString(ROOT.resolve("docs/internals/design.md"));
		int start = page.indexOf(from);
		return page.substring(start, page.indexOf(to, start));
	}

	/**
	 * The description of each room, with its heading.
	 */
	private static List<String> sections() throws IOException {
		List<String> parts = List.of(Files.readString(ROOT.resolve("docs/internals/design.md")).split("(?m)^### "));
		return parts.subList(1, parts.size());
	}

	private static Stream<String> names(String text) {
		return NAME.matcher(text).results().map((name) -> name.group(1));
	}

	private static Stream<MatchResult> rows(String page) throws IOException {
		return ROW.matcher(Files.readString(ROOT.resolve("docs").resolve(page))).results();
	}

	private static boolean inSomeModule(String source) throws IOException {
		try (Stream<Path> modules = Files.list(ROOT)) {
			return modules
				.anyMatch((module) -> Files.exists(module.resolve("src/main/java/io/holdfast/lock/" + source)));
		}
	}

	/**
	 * Whether there is such a path, class of tests, or test.
	 */
	private static boolean exists(String name) throws IOException {
		if (name.contains("/")) {
			return Files.exists(ROOT.resolve(name));
		}
		Matcher test = TEST.matcher(name);
		if (!test.matches()) {
			return false;
		}
		for (Path source : sources(test.group(1))) {
			if (test.group(2) == null || declares(source, test.group(2))) {
				return true;
			}
		}
		return false;
	}

	private static List<Path> sources(String type) throws IOException {
		List<Path> found = new ArrayList<>();
		try (Stream<Path> modules = Files.list(ROOT)) {
			for (Path tests : modules.map((module) -> module.resolve("src/test/java"))
				.filter(Files::isDirectory)
				.toList()) {
				try (Stream<Path> files = Files.walk(tests)) {
					files.filter((file) -> file.endsWith(type + ".java")).forEach(found::add);
				}
			}
		}
		return found;
	}

	/**
	 * Whether a source has a test of that name: a method, or a rule of ArchUnit.
	 */
	private static boolean declares(Path source, String test) throws IOException {
		return Pattern.compile("\\b(void " + test + "\\(|ArchRule " + test + " )")
			.matcher(Files.readString(source))
			.find();
	}

}
