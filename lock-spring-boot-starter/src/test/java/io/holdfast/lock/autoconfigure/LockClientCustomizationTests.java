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
import java.util.List;
import java.util.function.BooleanSupplier;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.Losses;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What an application can change about its clients, and what it keeps then. */
class LockClientCustomizationTests {

	private final ApplicationContextRunner runner = LockRunner.create();

	@Test
	void customizersChangeTheClientInTheirOrder() {
		this.runner.withUserConfiguration(Customizers.class)
			.withPropertyValues("holdfast.lock.key-prefix=property:")
			.run((context) -> {
				assertThat(context.getBean(RedisLockClient.class).keyPrefix()).isEqualTo("second:");
				assertThat(context.getBean(LockClient.class).id()).startsWith("first@");
			});
	}

	@Test
	void buildersAreSetUpFromThePropertiesAndEachIsAnother() {
		this.runner.withUserConfiguration(OwnClients.class)
			.withPropertyValues("holdfast.lock.wait-time=70ms")
			.run((context) -> {
				RedisLockClient one = context.getBean("one", RedisLockClient.class);
				RedisLockClient two = context.getBean("two", RedisLockClient.class);
				assertThat(one.keyPrefix()).isEqualTo(LockRunner.keyPrefix(context));
				assertThat(one.id()).startsWith("shop@");
				assertThat(two.keyPrefix()).isEqualTo("two:");
				try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
					other.hold("held");

					assertThatExceptionOfType(LockNotAcquiredException.class)
						.isThrownBy(() -> one.acquire("held", LockOptions.defaults()))
						.satisfies((ex) -> assertThat(ex.waitTime()).isEqualTo(Duration.ofMillis(70)));
				}
			});
	}

	@ParameterizedTest
	@ValueSource(classes = { SecondRedis.class, HiddenRedis.class, HiddenBesideTwo.class })
	void locksAreOnTheRedisThatIsMarkedForThem(Class<?> configuration) {
		try (RedisProcess redis = RedisProcess.start(); OtherProcess elsewhere = new OtherProcess("second:")) {
			this.runner.withUserConfiguration(configuration)
				.withPropertyValues("test.port=" + redis.port(), "holdfast.lock.key-prefix=second:")
				.run((context) -> {
					LeaseLock lock = context.getBean(LockClient.class).getLock("a");
					assertThat(lock.tryLock()).isTrue();

					StringRedisTemplate second = new StringRedisTemplate(
							context.getBean("forLocks", RedisConnectionFactory.class));
					assertThat(second.hasKey("second:lock:a")).isTrue();
					assertThat(elsewhere.sees("a")).isFalse();
					lock.unlock();
				});
		}
	}

	@Test
	void applicationKeepsItsRedisBesideOneForLocksOnly() {
		this.runner.withUserConfiguration(HiddenRedis.class)
			.withPropertyValues("test.port=" + RedisProcess.shared().port())
			.run((context) -> assertThat(context.getBean(StringRedisTemplate.class).getRequiredConnectionFactory())
				.isNotSameAs(context.getBean("forLocks"))
				.isSameAs(context.getBean("redisConnectionFactory")));
	}

	@Test
	void markIsFoundOnATypeAndInAParentContext() {
		new ApplicationContextRunner().withBean("cache", RedisConnectionFactory.class, SecondRedis::shared)
			.withBean("forLocks", MarkedFactory.class)
			.run((parent) -> this.runner.withParent(parent)
				.run((child) -> assertThat(child.getBean(LockServers.class).connectionFactories())
					.containsExactly(parent.getBean(MarkedFactory.class))));
	}

	@Test
	void twoThatAreMarkedAreOneTooMany() {
		this.runner.withUserConfiguration(TwoMarked.class)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("expected single matching bean but found 2: one,other"));
	}

	@Test
	void startUpCheckLooksAtTheRedisThatIsMarked() {
		try (RedisProcess redis = RedisProcess
			.start("--user default on nopass ~* resetchannels &* -@all +ping +hello +client +time".split(" "))) {
			this.runner.withUserConfiguration(HiddenRedis.class)
				.withBean(PatientCheck.class)
				.withPropertyValues("test.port=" + redis.port())
				.run((context) -> assertThat(context).getFailure()
					.hasMessageContaining("may not lock (Redis at " + redis.host() + ":" + redis.port() + ")"));
		}
	}

	@Test
	void lossOfEachClientOfTheApplicationIsToldToEverybodyOnce() {
		this.runner.withUserConfiguration(OwnClients.class, Losses.class, Late.class).run((context) -> {
			Losses losses = context.getBean(Losses.class);
			LockClient late = context.getBean("late", LockClient.class);
			assertToldOnce(losses, LockRunner.keyPrefix(context), context.getBean("one", LockClient.class));
			assertToldOnce(losses, "two:", context.getBean("two", LockClient.class));
			assertToldOnce(losses, "late:", late);
		});
	}

	private static void assertToldOnce(Losses losses, String keyPrefix, LockClient client) {
		LeaseLock lock = client.getLock("lost by " + client.id());
		try (OtherProcess other = new OtherProcess(keyPrefix)) {
			lock.lock();
			other.takeByForce(lock.name());

			Awaitility.await()
				.untilAsserted(() -> assertThat(List.of(losses.events(), losses.observed()))
					.allSatisfy((told) -> assertThat(told).extracting(LockLoss::name).containsOnlyOnce(lock.name())));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		}
	}

	@Test
	void annotationUsesTheOwnClient() {
		this.runner.withUserConfiguration(OneOwnClient.class).withBean(Job.class).run((context) -> {
			try (OtherProcess other = new OtherProcess("own:")) {
				assertThat(context.getBean(Job.class).run(() -> other.sees("job"))).isTrue();
			}
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Customizers {

		@Bean
		@Order(2)
		LockClientCustomizer second() {
			return (builder) -> builder.keyPrefix("second:");
		}

		@Bean
		@Order(1)
		LockClientCustomizer first() {
			return (builder) -> builder.keyPrefix("first:").application("first");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnClients {

		@Bean
		RedisLockClient one(RedisLockClientBuilder builder) {
			return builder.build();
		}

		@Bean
		LockClient two(RedisLockClientBuilder builder) {
			return builder.keyPrefix("two:").build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OneOwnClient {

		@Bean
		LockClient own(RedisConnectionFactory connectionFactory) {
			return RedisLockClient.builder(connectionFactory).keyPrefix("own:").build();
		}

	}

	/** A client that nobody needs before the application has started. */
	@Configuration(proxyBeanMethods = false)
	static class Late {

		@Bean
		@Lazy
		LockClient late(RedisLockClientBuilder builder) {
			return builder.keyPrefix("late:").build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SecondRedis {

		@Bean
		@Primary
		RedisConnectionFactory first() {
			return shared();
		}

		static RedisConnectionFactory shared() {
			return RedisDriver.LETTUCE.connect(RedisProcess.shared());
		}

		@Bean
		@LockConnectionFactory
		RedisConnectionFactory forLocks(Environment environment) {
			return connect(environment);
		}

		static RedisConnectionFactory connect(Environment environment) {
			return RedisDriver.JEDIS.connect("127.0.0.1", environment.getRequiredProperty("test.port", Integer.class),
					Duration.ofSeconds(30));
		}

	}

	/** A Redis beside that of Spring Boot, of which only locks know. */
	@Configuration(proxyBeanMethods = false)
	static class HiddenRedis {

		@Bean(defaultCandidate = false)
		@LockConnectionFactory
		RedisConnectionFactory forLocks(Environment environment) {
			return SecondRedis.connect(environment);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenBesideTwo extends HiddenRedis {

		@Bean
		RedisConnectionFactory one() {
			return SecondRedis.shared();
		}

		@Bean
		RedisConnectionFactory other() {
			return SecondRedis.shared();
		}

	}

	@LockConnectionFactory
	public static class MarkedFactory extends JedisConnectionFactory {

		MarkedFactory() {
			super(new RedisStandaloneConfiguration(RedisProcess.shared().host(), RedisProcess.shared().port()));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoMarked {

		@Bean
		@LockConnectionFactory
		RedisConnectionFactory one() {
			return RedisDriver.JEDIS.connect(RedisProcess.shared());
		}

		@Bean
		@LockConnectionFactory
		RedisConnectionFactory other() {
			return RedisDriver.JEDIS.connect(RedisProcess.shared());
		}

	}

	public static class Job {

		@DistributedLock(name = "job")
		public boolean run(BooleanSupplier question) {
			return question.getAsBoolean();
		}

	}

}
