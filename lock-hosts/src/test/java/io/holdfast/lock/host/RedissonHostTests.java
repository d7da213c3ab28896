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

package io.holdfast.lock.host;

import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with Redisson's starter, which has a connection factory of its own.
 * Jedis is there too, and not used.
 */
class RedissonHostTests {

	private final String prefix = UUID.randomUUID() + ":";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues("spring.data.redis.host=" + RedisProcess.shared().host(),
				"spring.data.redis.port=" + RedisProcess.shared().port(), "holdfast.lock.key-prefix=" + this.prefix);

	@Test
	void locksWorkOnTheConnectionsOfRedisson() {
		this.runner.run((context) -> {
			assertThat(context.getBean(RedisConnectionFactory.class).getClass().getName())
				.startsWith("org.redisson.spring.data.connection");
			LeaseLock lock = context.getBean(LockClient.class).getLock("till");

			assertThat(context.getBean(Till.class).isLocked(lock)).isTrue();
			assertThat(lock.isLocked()).isFalse();
		});
	}

	@Test
	void waiterOfAnotherApplicationSubscribesAndIsServed() {
		this.runner.run((first) -> this.runner.run((second) -> {
			Lease lease = first.getBean(LockClient.class).acquire("till", LockOptions.defaults());
			LeaseLock other = second.getBean(LockClient.class).getLock("till");
			CompletableFuture<Long> waited = CompletableFuture.supplyAsync(() -> lockAndUnlock(other));
			Awaitility.await().until(() -> !channels().isEmpty());
			assertThat(waited).isNotDone();

			lease.close();

			assertThat(waited.get(5, TimeUnit.SECONDS)).isPositive();
		}));
	}

	private Set<String> channels() {
		try (Jedis jedis = new Jedis(RedisProcess.shared().host(), RedisProcess.shared().port())) {
			return Set.copyOf(jedis.pubsubChannels(this.prefix + "*"));
		}
	}

	@Test
	void ownConnectionFactoryStays() {
		this.runner.withBean(JedisConnectionFactory.class, RedissonHostTests::jedis).run((context) -> {
			assertThat(context.getBean(RedisConnectionFactory.class)).isInstanceOf(JedisConnectionFactory.class);
			assertThat(context.getBean(LockClient.class).getLock("till").tryLock()).isTrue();
		});
	}

	private static JedisConnectionFactory jedis() {
		return new JedisConnectionFactory(
				new RedisStandaloneConfiguration(RedisProcess.shared().host(), RedisProcess.shared().port()));
	}

	private static long lockAndUnlock(LeaseLock lock) {
		lock.lock();
		try {
			return lock.token();
		}
		finally {
			lock.unlock();
		}
	}

	@Test
	void replicaAcknowledgementIsRefused() {
		this.runner.withPropertyValues("holdfast.lock.replica-acknowledgement=majority")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("Replica acknowledgement needs a connection factory of Jedis or of Lettuce"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Till till() {
			return new Till();
		}

	}

	static class Till {

		@DistributedLock(name = "till")
		boolean isLocked(LeaseLock lock) {
			return lock.isLocked() && lock.isHeldByCurrentThread();
		}

	}

}
