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

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor.Settings;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that was processed ahead of time, as the build plugins of Spring Boot do
 * it, locks as any other, on a JVM.
 */
class AheadOfTimeIT {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@TempDir
	static Path directory;

	String prefix = UUID.randomUUID() + ":";

	@BeforeAll
	static void process() throws IOException {
		Settings settings = Settings.builder()
			.sourceOutput(directory.resolve("sources"))
			.resourceOutput(directory.resolve("classes"))
			.classOutput(directory.resolve("classes"))
			.groupId("io.holdfast")
			.artifactId("ahead-of-time")
			.build();
		new SpringApplicationAotProcessor(AheadOfTimeApplication.class, settings, new String[0]).process();
		compile(directory.resolve("sources"));
	}

	private static void compile(Path sources) throws IOException {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		List<String> options = List.of("-proc:none", "-nowarn", "-parameters", "-classpath", classPath(), "-d",
				directory.resolve("classes").toString());
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
				Stream<Path> found = Files.walk(sources)) {
			List<Path> units = found.filter((file) -> file.toString().endsWith(".java")).toList();
			assertThat(units).isNotEmpty();
			assertThat(
					compiler.getTask(null, files, null, options, null, files.getJavaFileObjectsFromPaths(units)).call())
				.isTrue();
		}
	}

	private static String classPath() {
		return directory.resolve("classes") + File.pathSeparator + System.getProperty("java.class.path");
	}

	@Test
	void methodsAreLocked() {
		try (OtherProcess other = new OtherProcess(this.prefix)) {
			other.hold("order:taken");
			try (JavaProcess process = start()) {
				process.awaitLine("HOLDS", PATIENCE);

				assertThat(process.awaitLine("PROCESSED", PATIENCE)).contains("true");
				assertThat(process.awaitLine("PROPERTY", PATIENCE)).contains("order:bob");
				assertThat(process.awaitLine("ROOT", PATIENCE)).contains("byRoot-4711-north");
				assertThat(process.awaitLine("BEAN", PATIENCE)).contains("order:bean-4711");
				assertThat(process.awaitLine("PLACEHOLDER", PATIENCE)).contains("harbour");
				assertThat(process.awaitLine("COMPOSED", PATIENCE)).contains("composed:4711");
				assertThat(process.awaitLine("LEASE", PATIENCE)).contains("true");
				assertThat(process.awaitLine("CONDITION", PATIENCE)).contains("unlocked");
				assertThat(process.awaitLine("FALLBACK", PATIENCE)).contains("later:taken");
				assertThat(process.awaitLine("SKIPPED", PATIENCE)).contains("true");
				assertThat(process.awaitLine("TYPE", PATIENCE)).contains("counter:one");
				assertThat(process.awaitLine("ENDPOINTS", PATIENCE)).contains("1");
				assertThat(other.sees("held")).isTrue();

				assertThat(process.end(PATIENCE)).isZero();
				// Long before its lease ends
				assertThat(other.sees("held")).isFalse();
			}
		}
	}

	private JavaProcess start() {
		return JavaProcess.startWithOptions(List.of("-Dspring.aot.enabled=true", "-cp", classPath()), "processed",
				AheadOfTimeApplication.class, "--spring.data.redis.port=" + RedisProcess.shared().port(),
				"--holdfast.lock.key-prefix=" + this.prefix, "--holdfast.lock.watchdog-timeout=10m",
				"--test.area=harbour", "--test.wait=5s");
	}

}
