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

import java.time.Duration;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How long calls wait for a Redis that says nothing is the client's own setting: the
 * driver of the application waits for a minute, as Lettuce does unless told otherwise.
 */
@ParameterizedClass
@EnumSource
class CommandTimeoutTests {

	private static final Duration DRIVER_TIMEOUT = Duration.ofSeconds(60);

	/**
	 * By how much things may take longer on a busy machine.
	 */
	private static final Duration SLACK = Duration.ofSeconds(1);

	/** To open a connection may take a second more. */
	private static final Duration FIRST_CALL = Duration.ofSeconds(2);

	@Parameter
	RedisDriver driver;

	private final RedisProcess server = RedisProcess.start();

	private final FaultProxy proxy = new FaultProxy(this.server);

	private final TestThreads threads = new TestThreads();

	private boolean paused;

	@AfterEach
	void close() {
		this.proxy.heal();
		if (this.paused) {
			this.server.resume();
		}
		this.threads.close();
		this.proxy.close();
		this.server.close();
	}

	private void pause() {
		this.server.pause();
		this.paused = true;
	}

	enum Away {

		DOWN, FROZEN, SWALLOWED

	}

	private RedisConnectionFactory connect(Away away) {
		switch (away) {
			case FROZEN -> pause();
			case SWALLOWED -> this.proxy.goDeaf();
			case DOWN -> {
				return this.driver.connect("127.0.0.1", RedisProcess.freePort(), DRIVER_TIMEOUT);
			}
		}
		return this.driver.connect(this.proxy.host(), this.proxy.port(), DRIVER_TIMEOUT);
	}

	private Duration timeOf(TestThreads.Action action) {
		return this.threads.start(() -> {
			long start = System.nanoTime();
			action.run();
			return Duration.ofNanos(System.nanoTime() - start);
		}).result();
	}

	private static void assertFails(RedisLockClient client) {
		assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock("a")::tryLock);
	}

	@ParameterizedTest
	@EnumSource
	void attemptAndTheEndOfTheApplicationAreShortAlthoughThereNeverWasAConnection(Away away) {
		RedisConnectionFactory factory = connect(away);
		RedisLockClient client = RedisLockClient.builder(factory).build();

		assertThat(timeOf(() -> assertFails(client))).isLessThan(FIRST_CALL.plus(SLACK));
		assertThat(timeOf(() -> {
			client.close();
			RedisDriver.disconnect(factory);
		})).isLessThan(Duration.ofSeconds(3));
	}

	@Test
	void endOfTheApplicationIsShortAlthoughALockIsHeldAndAnotherOneIsAwaited() {
		RedisConnectionFactory factory = this.driver.connect(this.proxy.host(), this.proxy.port(), DRIVER_TIMEOUT);
		RedisLockClient client = RedisLockClient.builder(factory).build();
		client.getLock("held").lock();
		TestThreads.Running<Void> waiting = this.threads.run(client.getLock("held")::lock).awaitParked();
		pause();

		assertThat(timeOf(() -> {
			client.close();
			RedisDriver.disconnect(factory);
		})).isLessThan(Duration.ofSeconds(3).plus(SLACK));
		assertThat(waiting.failure()).isNotNull();
	}

	@Test
	void callWaitsAsLongAsTheSettingSays() {
		RedisConnectionFactory factory = this.driver.connect(this.proxy.host(), this.proxy.port(), DRIVER_TIMEOUT);
		try (RedisLockClient patient = RedisLockClient.builder(factory).commandTimeout(Duration.ofSeconds(3)).build();
				RedisLockClient hasty = RedisLockClient.builder(factory)
					.commandTimeout(Duration.ofMillis(100))
					.build()) {
			assertThat(patient.getLock("a").isLocked()).isFalse();
			assertThat(hasty.getLock("a").isLocked()).isFalse();
			pause();

			assertThat(timeOf(() -> assertNoAnswer(hasty))).isLessThan(Duration.ofSeconds(1));
			assertThat(timeOf(() -> assertNoAnswer(patient))).isBetween(Duration.ofMillis(2900),
					Duration.ofSeconds(3).plus(SLACK));
		}
		finally {
			RedisDriver.disconnect(factory);
		}
	}

	private static void assertNoAnswer(RedisLockClient client) {
		assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock("a")::isLocked);
	}

}
