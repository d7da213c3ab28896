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

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.fixture.Losses;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.redis.RedisLockClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Locks that hold within a process only, and when an application has them. */
class LocalLockAutoConfigurationTests {

	/** Nothing listens on the port of its Redis. */
	private final ApplicationContextRunner runner = LockRunner.create().withPropertyValues("spring.data.redis.port=1");

	@ParameterizedTest
	@ValueSource(strings = { "local", "LOCAL", "Local", " local ", "${shop.mode:local}" })
	void localModeLocksWithoutRedisAndSaysSo(String mode) {
		try (LogCapture log = LogCapture.of("io.holdfast.lock", Level.INFO)) {
			this.runner.withPropertyValues("holdfast.lock.mode=" + mode)
				.withUserConfiguration(Stock.class)
				.run((context) -> {
					assertThat(context).hasNotFailed()
						.hasSingleBean(LockClient.class)
						.hasSingleBean(LocalLockClient.class)
						.doesNotHaveBean(StartUpCheck.class);
					assertThat(context.getBean(Stock.class).sell()).isEqualTo("shop");
				});
			assertThat(log.lines()).containsExactly("WARN holdfast.lock.mode is local: locks hold within this process "
					+ "only, no other process sees them. Remove that setting where more than one process runs");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void clientOfTheApplicationThatLocksInRedisStopsTheLocalMode(boolean lazy) {
		this.runner.withPropertyValues("holdfast.lock.mode=local")
			.withBean("reports", LockClient.class, () -> RedisLockClient.builder(new JedisConnectionFactory()).build(),
					(definition) -> definition.setLazyInit(lazy))
			.withBean(Reports.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageStartingWith("Bean 'reports' locks in Redis, though holdfast.lock.mode is local."));
	}

	@Test
	void localModeNeedsNoConnectionFactory() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LocalLockAutoConfiguration.class, LockAutoConfiguration.class,
					LockAnnotationAutoConfiguration.class))
			.withPropertyValues("holdfast.lock.mode=local")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(LockClient.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "REDIS", "Redis" })
	void redisIsTheOtherMode(String mode) {
		LockRunner.create()
			.withPropertyValues("holdfast.lock.mode=" + mode)
			.run((context) -> assertThat(context).hasSingleBean(RedisLockClient.class)
				.doesNotHaveBean(LocalLockClient.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "lokal", "true", "memory" })
	void otherModesStopTheApplication(String mode) {
		for (String enabled : List.of("true", "false")) {
			this.runner.withPropertyValues("holdfast.lock.mode=" + mode, "holdfast.lock.enabled=" + enabled)
				.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("holdfast.lock.mode"));
		}
	}

	@Test
	void withoutTheJarThereIsNoClientAndNothingThatAsksIt() {
		ApplicationContextRunner without = this.runner.withClassLoader(new FilteredClassLoader(LocalLockClient.class));

		for (String setting : List.of("mode=local", "enabled=false")) {
			without.withPropertyValues("holdfast.lock." + setting)
				.withConfiguration(AutoConfigurations.of(LockEndpointAutoConfiguration.class))
				.withUserConfiguration(LockHealthAutoConfigurationTests.Application.class)
				.withPropertyValues("management.endpoints.web.exposure.include=locks")
				.run((context) -> assertThat(context).hasNotFailed()
					.doesNotHaveBean(LockClient.class)
					.doesNotHaveBean("holdfastLockHealthIndicator"));
		}
	}

	@Test
	void beansThatInjectTheClientStartIfLocksAreDisabled() {
		this.runner.withPropertyValues("holdfast.lock.enabled=false")
			.withUserConfiguration(Till.class, Stock.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(Till.class).client).isInstanceOf(LocalLockClient.class);
				assertThat(context.getBean(Stock.class).sell()).isEqualTo("nobody");
			});
	}

	@Test
	void warningDoesNotClaimThatAnOwnClientIsLocal() {
		LockClient own = (LockClient) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { LockClient.class }, (proxy, method, args) -> null);
		try (LogCapture log = LogCapture.of("io.holdfast.lock", Level.INFO)) {
			this.runner.withPropertyValues("holdfast.lock.enabled=false")
				.withBean("own", LockClient.class, () -> own)
				.run((context) -> assertThat(context).hasSingleBean(LockClient.class).hasBean("own"));
			assertThat(log.lines()).containsExactly(
					"WARN holdfast.lock.enabled is false: methods with @DistributedLock run without a lock. "
							+ "Remove that setting unless it is meant");
		}
	}

	@Test
	void clientIsSetUpFromTheProperties() {
		this.runner
			.withPropertyValues("holdfast.lock.mode=local", "holdfast.lock.wait-time=20ms",
					"holdfast.lock.lease-time=7d", "spring.application.name=till")
			.run((context) -> {
				LockClient client = context.getBean(LockClient.class);
				assertThat(client.id()).startsWith("till@");
				try (var lease = client.acquire("a", LockOptions.defaults())) {
					assertThat(lease.validFor()).isGreaterThan(Duration.ofDays(6));
					assertThat(client.tryAcquire("a", LockOptions.defaults())).isEmpty();
				}
			});
	}

	@Test
	void boundsOfThePropertiesHold() {
		this.runner.withPropertyValues("holdfast.lock.mode=local", "holdfast.lock.watchdog-timeout=99ms")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("Watchdog timeout must be between 100ms and 1d"));
	}

	@Test
	void lossesAreEventsAndReachObservers() {
		this.runner.withPropertyValues("holdfast.lock.mode=local")
			.withUserConfiguration(Losses.class)
			.run((context) -> {
				LockClient client = context.getBean(LockClient.class);
				client.acquire("a", LockOptions.defaults());
				client.directory().forceUnlock("a");

				Losses told = context.getBean(Losses.class);
				Awaitility.await().until(() -> told.events().size() == 1 && told.observed().equals(told.events()));
			});
	}

	@Test
	void shutdownClosesTheClient() {
		this.runner.withPropertyValues("holdfast.lock.mode=local").run((context) -> {
			assertThat(context).hasSingleBean(LockClientShutdown.class);
			LeaseLock lock = context.getBean(LockClient.class).getLock("a");
			context.close();
			assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(lock::tryLock);
		});
	}

	public static class Reports {

		@DistributedLock(name = "report", client = "reports")
		public void write() {
		}

	}

	static class Till {

		private final LockClient client;

		Till(LockClient client) {
			this.client = client;
		}

	}

	static class Stock {

		private final LockClient client;

		Stock(LockClient client) {
			this.client = client;
		}

		@DistributedLock(name = "stock")
		String sell() {
			return this.client.directory().find("stock").map(HeldLock::application).orElse("nobody");
		}

	}

}
