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

import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.StrippedClasses;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** An application with a library in a version that lacks something. */
class UnsupportedDriverIT {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@ParameterizedTest
	@CsvSource({ "jedis,org.springframework.data.redis.connection.jedis.JedisClientConfiguration,getCustomizer",
			"lettuce,org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory,getNativeClient" })
	void doesNotStartAndSaysWhy(String driver, String type, String method, @TempDir Path classes) throws IOException {
		Path file = classes.resolve(type.replace('.', '/') + ".class");
		Files.createDirectories(file.getParent());
		Files.write(file, StrippedClasses.strip(type, method));
		String classPath = classes + File.pathSeparator + System.getProperty("java.class.path");
		String simpleName = type.substring(type.lastIndexOf('.') + 1);

		try (JavaProcess process = JavaProcess.startWith(classPath, "old " + driver,
				TerminatedApplicationIT.Application.class, Integer.toString(RedisProcess.shared().port()), "a:",
				"--spring.data.redis.client-type=" + driver)) {
			String[] said = process.awaitLine("Holdfast does not work with spring-data-redis ", PATIENCE);

			assertThat(said).contains(simpleName + "." + method + "().");
			process.awaitLine("Use Spring Boot 3.5, 4.0 or 4.1 with the versions that it manages", PATIENCE);
			process.end(PATIENCE);
			assertThat(process.hasFailed()).isTrue();
		}
	}

}
