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

import java.util.regex.Pattern;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.RedisSetup;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/** What an application finds out about its Redis when it starts. */
class StartUpCheckTests {

	private static final String RIGHTS = "--user locks on >secret ~* resetchannels &* -@all " + StartUpCheck.COMMANDS;

	@Test
	void rightsThatAreNamedAreEnoughAndThoseOfTheDocumentation() {
		assertThat(RedisSetup.RIGHTS).endsWith(" -@all " + StartUpCheck.COMMANDS);
		try (RedisProcess redis = RedisProcess.start(RIGHTS.split(" ")); LogCapture log = warnings()) {
			user(redis).run((context) -> {
				LeaseLock lock = context.getBean(LockClient.class).getLock("a");

				assertThat(lock.tryLock()).isTrue();
				lock.unlock();
			});
			assertThat(log.lines()).isEmpty();
		}
	}

	static Stream<Arguments> missingRightStopsTheApplication() {
		Stream<String> all = Stream.concat(Stream.of("&*", "~*"), Stream.of(StartUpCheck.COMMANDS.split(" ")));
		return Stream.concat(all.map((right) -> Arguments.of(right, "io.lettuce")),
				Stream.of("&*", "+subscribe").map((right) -> Arguments.of(right, "no.such.package")));
	}

	@ParameterizedTest
	@MethodSource
	void missingRightStopsTheApplication(String right, String hidden) {
		String[] others = RIGHTS.replaceFirst(" " + Pattern.quote(right) + "(?= |$)", "").split(" ");
		try (RedisProcess redis = RedisProcess.start(others)) {
			user(redis).withClassLoader(new FilteredClassLoader(hidden))
				.run((context) -> assertThat(context).getFailure()
					.hasMessageContaining("may not lock")
					.hasMessageContaining("ACL SETUSER <user> ~till:* &till:client:* " + StartUpCheck.COMMANDS)
					.hasMessageContaining("holdfast.lock.check-at-start=false"));
		}
	}

	@Test
	void missingRightIsNoObstacleIfNobodyLooks() {
		try (RedisProcess redis = RedisProcess.start(RIGHTS.replace(" +hset", "").split(" "))) {
			user(redis).withPropertyValues("holdfast.lock.check-at-start=false")
				.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(StartUpCheck.class));
		}
	}

	@Test
	void evictionIsWarnedOf() {
		try (RedisProcess redis = RedisProcess.start("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru");
				LogCapture log = warnings()) {
			to(redis).run((context) -> assertThat(context).hasNotFailed());

			assertThat(log.lines()).singleElement(InstanceOfAssertFactories.STRING)
				.startsWith("WARN")
				.contains("allkeys-lru", "noeviction");
		}
	}

	@Test
	void evictionThatCannotHappenIsNotWarnedOf() {
		try (RedisProcess redis = RedisProcess.start("--maxmemory-policy", "allkeys-lru");
				LogCapture log = warnings()) {
			to(redis).run((context) -> assertThat(context).hasNotFailed());

			assertThat(log.lines()).isEmpty();
		}
	}

	@Test
	void redisThatIsAwayOrSilentIsNoObstacle() {
		try (RedisProcess redis = RedisProcess.start(); LogCapture log = warnings()) {
			ApplicationContextRunner patient = to(redis).withPropertyValues("spring.data.redis.timeout=4s");
			redis.pause();
			patient.run((context) -> assertThat(context).hasNotFailed());
			assertThat(log.lines()).anyMatch((line) -> line.startsWith("WARN Redis does not answer"));

			redis.close();
			patient.run((context) -> assertThat(context).hasNotFailed());
			assertThat(log.lines()).anyMatch((line) -> line.startsWith("WARN Locks do not work yet"));
		}
	}

	private static LogCapture warnings() {
		return LogCapture.of(StartUpCheck.class.getName(), Level.WARN);
	}

	private static ApplicationContextRunner user(RedisProcess redis) {
		return to(redis).withPropertyValues("spring.data.redis.username=locks", "spring.data.redis.password=secret");
	}

	private static ApplicationContextRunner to(RedisProcess redis) {
		return LockRunner.create()
			.withPropertyValues("holdfast.lock.key-prefix=till:", "spring.data.redis.port=" + redis.port());
	}

}
