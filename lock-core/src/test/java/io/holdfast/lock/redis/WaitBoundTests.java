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

package io.holdfast.lock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A wait ends in time, whatever the pool of the application and the driver do: with the
 * application's connections all in use, and with a Redis that hangs while the driver
 * waits for a minute, as Lettuce does unless told otherwise.
 */
class WaitBoundTests {

	private static final Duration WAIT = Duration.ofMillis(300);

	/**
	 * By how much a call may take longer.
	 */
	private static final Duration BOUND = Duration.ofSeconds(2);

	private static final Duration DRIVER_TIMEOUT = Duration.ofSeconds(60);

	private final RedisProcess server = RedisProcess.start();

	private final FaultClients clients = new FaultClients(this.server, "bound:");

	private final Crew crew = new Crew();

	private JedisConnectionFactory pool;

	private boolean paused;

	@AfterEach
	void close() throws Exception {
		if (this.paused) {
			this.server.resume();
		}
		if (this.pool != null) {
			this.server.command("RPUSH", "end", "1", "2", "3", "4", "5", "6", "7", "8");
		}
		this.crew.close();
		this.clients.close();
		if (this.pool != null) {
			this.pool.destroy();
		}
		this.server.close();
	}

	private void pause() {
		this.server.pause();
		this.paused = true;
	}

	private RedisLockClient open(RedisConnectionFactory factory) {
		RedisLockClient client = this.clients.open(factory,
				(builder) -> builder.watchdogTimeout(Duration.ofMinutes(10)).waiterTimeout(Duration.ofMinutes(1)));
		FaultClients.awaitHears(client);
		client.getLock("held").lock();
		return client;
	}

	private RedisLockClient open(RedisDriver driver) {
		return open(this.clients.connect(driver, this.server, DRIVER_TIMEOUT));
	}

	/**
	 * A client of which the application uses all connections, with a pool as Spring Boot
	 * sets it up: for a free one it waits for ever.
	 */
	private RedisLockClient openWithoutConnections() {
		GenericObjectPoolConfig<Jedis> config = new GenericObjectPoolConfig<>();
		this.pool = new JedisConnectionFactory(new RedisStandaloneConfiguration(this.server.host(), this.server.port()),
				JedisClientConfiguration.builder().usePooling().poolConfig(config).build());
		this.pool.afterPropertiesSet();
		this.pool.start();
		RedisLockClient client = open(this.pool);
		this.crew.start("hog", config.getMaxTotal(), () -> {
			try (RedisConnection connection = this.pool.getConnection()) {
				connection.listCommands().bLPop(60, "end".getBytes(StandardCharsets.US_ASCII));
			}
		});
		FaultClients.await("the pool is empty",
				() -> this.server.info("clients", "blocked_clients").equals(Integer.toString(config.getMaxTotal())));
		return client;
	}

	/**
	 * Calls on another thread, which must return in time, be it with a failure.
	 */
	private void assertEndsWithin(Duration limit, Crew.Work call) throws Exception {
		AtomicReference<Duration> took = new AtomicReference<>();
		this.crew.start("caller", () -> {
			long start = System.nanoTime();
			try {
				call.run();
			}
			catch (LockException ex) {
				// It was not possible in time.
			}
			took.set(Duration.ofNanos(System.nanoTime() - start));
		});
		Awaitility.await("the end of the call").atMost(Duration.ofSeconds(10)).until(() -> took.get() != null);
		assertThat(took.get()).isLessThanOrEqualTo(limit);
	}

	@Test
	void attemptEndsInTimeAlthoughAllConnectionsAreInUse() throws Exception {
		RedisLockClient client = openWithoutConnections();

		assertEndsWithin(WAIT.plus(BOUND), () -> client.getLock("orders").tryLock(WAIT));
	}

	@Test
	void clientClosesInTimeAlthoughAllConnectionsAreInUse() throws Exception {
		RedisLockClient client = openWithoutConnections();

		assertEndsWithin(BOUND.multipliedBy(2), client::close);
	}

	@ParameterizedTest
	@EnumSource
	void attemptEndsInTimeAlthoughRedisHangs(RedisDriver driver) throws Exception {
		RedisLockClient client = open(driver);
		pause();

		assertEndsWithin(WAIT.plus(BOUND), () -> client.getLock("orders").tryLock(WAIT));
	}

	@ParameterizedTest
	@EnumSource
	void waitEndsInTimeAlthoughRedisHangs(RedisDriver driver) throws Exception {
		RedisLockClient holder = open(driver);
		LeaseLock held = holder.getLock("orders");
		held.lock();
		RedisLockClient client = this.clients.open(this.clients.connect(driver, this.server, DRIVER_TIMEOUT),
				(builder) -> builder.waiterTimeout(Duration.ofMinutes(1)));
		FaultClients.awaitHears(client);
		Duration wait = Duration.ofSeconds(2);
		LockOptions options = LockOptions.defaults().waitTime(wait);
		this.crew.start("pauses", () -> {
			FaultClients.await("it waits", () -> holder.directory().queue("orders", 10).size() == 1);
			pause();
		});

		assertEndsWithin(wait.plus(BOUND), () -> client.tryAcquire("orders", options));
	}

	@ParameterizedTest
	@EnumSource
	void clientClosesInTimeAlthoughRedisHangs(RedisDriver driver) throws Exception {
		RedisLockClient client = open(driver);
		pause();

		assertEndsWithin(BOUND.multipliedBy(2), client::close);
	}

}
