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

package io.holdfast.lock.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor.Settings;

import static org.assertj.core.api.Assertions.assertThat;

/** What {@code process-aot} does in the build. */
class AheadOfTimeTests {

	@TempDir
	Path directory;

	Place place;

	@AfterEach
	void endAll() {
		this.place.endRedis();
	}

	@Test
	void processingStartsNoProcess() throws IOException {
		this.place = Place.in(this.directory.resolve("place"));
		Path output = this.directory.resolve("output");
		Settings settings = Settings.builder()
			.sourceOutput(output)
			.resourceOutput(output)
			.classOutput(output)
			.groupId("io.holdfast")
			.artifactId("sample")
			.build();

		new SpringApplicationAotProcessor(SampleApplication.class, settings, this.place.arguments(0)).process();

		assertThat(this.place.hasRedis()).isFalse();
		assertThat(this.place.hasCompanion()).isFalse();
		assertThat(this.place.directory()).doesNotExist();
		try (Stream<Path> files = Files.walk(output)) {
			assertThat(files).anyMatch((file) -> file.endsWith("EmbeddedRedisConfiguration__BeanDefinitions.java"));
		}
	}

}
