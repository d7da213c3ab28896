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
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.TestThreads;
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
class CommandTimeoutTests extends FaultFixture {

	private static final Duration DRIVER_TIMEOUT = Duration.ofSeconds(60);

	/**
	 * Longer than what is promised, also on a busy machine, and less than the driver
	 * waits.
	 */
	private static final Duration SOON = Duration.ofSeconds(30);

	@Parameter
	RedisDriver driver;

	enum Away {

		DOWN, FROZEN, SWALLOWED

	}

	private RedisConnectionFactory connect(Away away) {
		switch (away) {
			case FROZEN -> this.server.pause();
			case SWALLOWED -> this.proxy.goDeaf();
			case DOWN -> {
				return this.driver.connect("127.0.0.1", 1, DRIVER_TIMEOUT);
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

		assertThat(timeOf(() -> assertFails(client))).isLessThan(SOON);
		assertThat(timeOf(() -> {
			client.close();
			RedisDriver.disconnect(factory);
		})).isLessThan(SOON);
	}

	@Test
	void callWaitsAsLongAsTheSettingSays() {
		RedisConnectionFactory factory = this.driver.connect(this.proxy.host(), this.proxy.port(), DRIVER_TIMEOUT);
		try (RedisLockClient patient = RedisLockClient.builder(factory).commandTimeout(Duration.ofSeconds(8)).build();
				RedisLockClient hasty = RedisLockClient.builder(factory)
					.commandTimeout(Duration.ofSeconds(2))
					.build()) {
			assertThat(patient.getLock("a").isLocked()).isFalse();
			assertThat(hasty.getLock("a").isLocked()).isFalse();
			this.server.pause();

			assertThat(timeOf(() -> assertNoAnswer(hasty))).isLessThan(Duration.ofMillis(7900));
			assertThat(timeOf(() -> assertNoAnswer(patient))).isBetween(Duration.ofMillis(7900), SOON);
		}
		finally {
			RedisDriver.disconnect(factory);
		}
	}

	private static void assertNoAnswer(RedisLockClient client) {
		assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock("a")::isLocked);
	}

}
