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

package io.holdfast.lock.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.StringJoiner;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page about properties says what their metadata says, which IDEs show.
 * {@code -Ddocs.write} writes it.
 */
class ConfigurationPageTests {

	private static final Path PAGE = Path.of("../docs/configuration.md");

	private static final String START = "<!-- From the metadata -->\n\n";

	@Test
	void pageSaysWhatTheMetadataSay() throws IOException {
		String page = Files.readString(PAGE);
		String introduction = page.substring(0, page.indexOf(START) + START.length());
		String expected = introduction + describe(LockPropertiesTests.metadata());
		if (System.getProperty("docs.write") != null) {
			Files.writeString(PAGE, expected);
		}

		assertThat(page).isEqualTo(expected);
	}

	private static String describe(JsonNode metadata) {
		StringJoiner sections = new StringJoiner("\n");
		for (JsonNode property : metadata.get("properties")) {
			StringBuilder section = new StringBuilder("## `" + text(property, "name") + "`\n\n");
			section.append(text(property, "description")).append("\n\n");
			String defaultValue = text(property, "defaultValue");
			section.append("Default: ")
				.append(defaultValue.isEmpty() ? "none" : "`" + defaultValue + "`")
				.append(".\n");
			String values = values(metadata, text(property, "name"));
			section.append(values.isEmpty() ? "" : "\n" + values);
			sections.add(section);
		}
		return sections.toString();
	}

	private static String values(JsonNode metadata, String property) {
		return metadata.get("hints")
			.valueStream()
			.filter((hint) -> text(hint, "name").equals(property))
			.flatMap((hint) -> hint.get("values").valueStream())
			.map((value) -> "- `" + text(value, "value") + "`: " + text(value, "description") + "\n")
			.collect(Collectors.joining());
	}

	private static String text(JsonNode node, String field) {
		return node.path(field).asString("");
	}

}
