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

import java.time.Duration;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What an application prints when it does not start. */
@ExtendWith(OutputCaptureExtension.class)
class StartUpFailureTests {

	@Test
	void invalidMethodIsExplained(CapturedOutput output) {
		assertThatThrownBy(() -> run(BadKey.class)).isNotNull();

		assertThat(output).contains(
				"""
						Description:

						@DistributedLock on %s.pay(Long): key "#orderId" refers to #orderId, and the method has no parameter of \
						that name.

						Action:

						Its parameters are #id.
						"""
					.formatted(BadKey.class.getName()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "local" })
	void invalidPropertyIsExplained(String mode, CapturedOutput output) {
		assertThatThrownBy(
				() -> run(Application.class, "holdfast.lock.watchdog-timeout=5ms", "holdfast.lock.mode=" + mode))
			.isNotNull();

		assertThat(output).contains("Description:\n\nWatchdog timeout must be between 100ms and 1d")
			.contains(
					"Action:\n\nCorrect the connection factory, or what a LockClientCustomizer or holdfast.lock.* sets.");
	}

	@Test
	void missingRightIsExplained(CapturedOutput output) {
		try (RedisProcess redis = RedisProcess
			.start("--user locks on >secret ~* resetchannels &* -@all +time".split(" "))) {
			assertThatThrownBy(() -> run(PatientCheck.class, "holdfast.lock.key-prefix=till:",
					"spring.data.redis.port=" + redis.port(), "spring.data.redis.username=locks",
					"spring.data.redis.password=secret"))
				.isNotNull();

			assertThat(output)
				.contains("Description:\n\nThe Redis user of this application may not lock (Redis at " + redis.host()
						+ ":" + redis.port() + "): ")
				.contains("Action:\n\nGive it the rights: ACL SETUSER <user> ~till:* &till:client:* ");
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { Locked.class, Locking.class })
	void choiceBetweenSeveralRedisServersIsExplained(Class<?> user, CapturedOutput output) {
		assertThatThrownBy(() -> run(TwoServers.class, user)).isNotNull();

		assertThat(output).contains(
				"""
						Description:

						There is no lock client, because there are 2 RedisConnectionFactory beans, and none is @Primary or has \
						@LockConnectionFactory: 'cache', 'orders'.

						Action:

						Mark the one that locks are to use with @LockConnectionFactory (of io.holdfast.lock.autoconfigure), or one \
						of them with @Primary.
						""");
	}

	@Test
	void wantOfARedisServerIsExplained(CapturedOutput output) {
		SpringApplicationBuilder application = new SpringApplicationBuilder(WithoutRedis.class, Locking.class)
			.web(WebApplicationType.NONE);

		assertThatThrownBy(application::run).isNotNull();

		assertThat(output)
			.contains("Description:\n\nThere is no lock client, because there is no RedisConnectionFactory bean.")
			.contains("Action:\n\nAdd spring-boot-starter-data-redis, ");
	}

	@ParameterizedTest
	@ValueSource(strings = { "mode=local", "enabled=false" })
	void wantOfTheJarOfLocalLocksIsExplained(String setting, CapturedOutput output) {
		SpringApplicationBuilder application = new SpringApplicationBuilder(Application.class, Locking.class)
			.web(WebApplicationType.NONE)
			.resourceLoader(new DefaultResourceLoader(new FilteredClassLoader(LocalLockClient.class)))
			.properties(LockRunner.properties())
			.properties("holdfast.lock." + setting);

		assertThatThrownBy(application::run).isNotNull();

		assertThat(output)
			.contains("Description:\n\nThere is no lock client, because the artifact of those in memory is missing.")
			.contains("Action:\n\nAdd io.holdfast:lock-local");
	}

	@Test
	void wrongSettingOfALazyClientIsExplained(CapturedOutput output) {
		assertThatThrownBy(() -> run(Locked.class, "holdfast.lock.watchdog-timeout=5ms",
				"holdfast.lock.check-at-start=false", "spring.main.lazy-initialization=true"))
			.isNotNull();

		assertThat(output).contains("Description:\n\nWatchdog timeout must be between 100ms and 1d");
	}

	@Test
	void wantOfAClientOnRedisBesideALocalOneIsNoWantOfRedis(CapturedOutput output) {
		SpringApplicationBuilder application = new SpringApplicationBuilder(WithoutRedis.class, OnRedis.class)
			.web(WebApplicationType.NONE)
			.properties("holdfast.lock.mode=local");

		assertThatThrownBy(application::run).isNotNull();

		assertThat(output).contains("required a bean of type '" + RedisLockClient.class.getName() + "'")
			.doesNotContain("There is no lock client");
	}

	@Test
	void valueThatACustomizerSetsIsExplained(CapturedOutput output) {
		assertThatThrownBy(() -> run(Impatient.class)).isNotNull();

		assertThat(output).contains("Description:\n\nWatchdog timeout must be between 100ms and 1d")
			.contains(
					"Action:\n\nCorrect the connection factory, or what a LockClientCustomizer or holdfast.lock.* sets.");
	}

	@Test
	void severalRedisServersAreNoMatterWithoutLocks() {
		run(TwoServers.class);
	}

	private static void run(Class<?> bean, String... properties) {
		run(bean, bean, properties);
	}

	private static void run(Class<?> bean, Class<?> other, String... properties) {
		new SpringApplicationBuilder(Application.class, bean, other).web(WebApplicationType.NONE)
			.properties(LockRunner.properties())
			.properties(properties)
			.run()
			.close();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import(BootLine.class)
	static class Application {

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LocalLockAutoConfiguration.class, LockAutoConfiguration.class })
	static class WithoutRedis {

	}

	@Configuration(proxyBeanMethods = false)
	static class Impatient {

		@Bean
		LockClientCustomizer watchdogTimeout() {
			return (builder) -> builder.watchdogTimeout(Duration.ofMillis(5));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OnRedis {

		@Bean
		Object needs(RedisLockClient client) {
			return client;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoServers {

		@Bean
		RedisConnectionFactory cache() {
			return RedisDriver.JEDIS.connect(RedisProcess.shared());
		}

		@Bean
		RedisConnectionFactory orders() {
			return RedisDriver.JEDIS.connect(RedisProcess.shared());
		}

	}

	public static class Locked {

		@DistributedLock(name = "a")
		public void run() {
		}

	}

	public static class Locking {

		Locking(LockClient client) {
		}

	}

	public static class BadKey {

		@DistributedLock(key = "#orderId")
		public void pay(Long id) {
		}

	}

}
