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
import java.util.stream.Stream;

import io.holdfast.lock.testing.RedisDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * The bounds of a client's settings.
 */
class SettingsTests {

	private final RedisConnectionFactory nowhere = RedisDriver.JEDIS.connect("127.0.0.1", 1, Duration.ofSeconds(1));

	static Stream<Arguments> outOfBounds() {
		return Stream.of(bad("wait time", (builder) -> builder.waitTime(Duration.ofNanos(-1))),
				bad("lease time 0", (builder) -> builder.leaseTime(Duration.ZERO)),
				bad("lease time -2", (builder) -> builder.leaseTime(Duration.ofMillis(-2))),
				bad("lease time 9 ms", (builder) -> builder.leaseTime(Duration.ofMillis(9))),
				bad("lease time 367 d", (builder) -> builder.leaseTime(Duration.ofDays(367))),
				bad("watchdog timeout 99 ms", (builder) -> builder.watchdogTimeout(Duration.ofMillis(99))),
				bad("watchdog timeout 2 d", (builder) -> builder.watchdogTimeout(Duration.ofDays(2))),
				bad("watchdog timeout -1", (builder) -> builder.watchdogTimeout(Duration.ofMillis(-1))),
				bad("waiter timeout 99 ms", (builder) -> builder.waiterTimeout(Duration.ofMillis(99))),
				bad("waiter timeout 6 min", (builder) -> builder.waiterTimeout(Duration.ofMinutes(6))),
				bad("takeover 499 ms", (builder) -> builder.takeoverAfter(Duration.ofMillis(499))),
				bad("takeover 11 s", (builder) -> builder.takeoverAfter(Duration.ofSeconds(11))),
				bad("takeover -1", (builder) -> builder.takeoverAfter(Duration.ofMillis(-1))),
				bad("token retention 59 s", (builder) -> builder.tokenRetention(Duration.ofSeconds(59))),
				bad("token retention 31 d", (builder) -> builder.tokenRetention(Duration.ofDays(31))),
				bad("hand-overs -1", (builder) -> builder.maxLocalHandoffs(-1)),
				bad("hand-overs 10,001", (builder) -> builder.maxLocalHandoffs(10_001)),
				bad("held too long 99 ms", (builder) -> builder.heldTooLong(Duration.ofMillis(99))),
				bad("held too long -1", (builder) -> builder.heldTooLong(Duration.ofMillis(-1))),
				bad("wait too long 367 d", (builder) -> builder.waitTooLong(Duration.ofDays(367))),
				bad("empty prefix", (builder) -> builder.keyPrefix("")),
				bad("blank prefix", (builder) -> builder.keyPrefix(" \n")),
				bad("long prefix", (builder) -> builder.keyPrefix("x".repeat(201))),
				bad("half a surrogate pair", (builder) -> builder.keyPrefix("\uD83D:")),
				bad("other half of a surrogate pair", (builder) -> builder.keyPrefix("\uDE00:")),
				bad("one and a half surrogate pairs", (builder) -> builder.keyPrefix("p\uD83D\uD83D\uDE00:")));
	}

	private static Arguments bad(String what, Change change) {
		return Arguments.of(what, change);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void outOfBounds(String what, Change change) {
		RedisLockClientBuilder builder = RedisLockClient.builder(this.nowhere);
		change.apply(builder);

		assertThatIllegalArgumentException().isThrownBy(builder::build);
	}

	@Test
	void boundsThemselvesAreTaken() {
		RedisLockClient.builder(this.nowhere)
			.waitTime(Duration.ZERO)
			.leaseTime(Duration.ofMillis(10))
			.watchdogTimeout(Duration.ofMillis(100))
			.waiterTimeout(Duration.ofMillis(100))
			.tokenRetention(Duration.ofMinutes(1))
			.maxLocalHandoffs(0)
			.keyPrefix("x")
			.build()
			.close();
		RedisLockClient.builder(this.nowhere)
			.waitTime(Duration.ofSeconds(Long.MAX_VALUE))
			.leaseTime(Duration.ofDays(366))
			.watchdogTimeout(Duration.ofDays(1))
			.waiterTimeout(Duration.ofMinutes(5))
			.tokenRetention(Duration.ofDays(30))
			.maxLocalHandoffs(10_000)
			.heldTooLong(Duration.ofDays(366))
			.waitTooLong(Duration.ofMillis(100))
			.keyPrefix("x".repeat(200))
			.build()
			.close();
	}

	@ParameterizedTest
	@CsvSource({ "1000, 30000, 2000", "5000, 30000, 10000", "5001, 30000, 0", "1000, 6000, 2000", "1000, 5999, 0",
			"100, 30000, 500", "100, 1500, 500", "100, 1499, 0" })
	void othersTakeOverAfterTwoCommandTimeoutsAtMostAThirdOfALease(long command, long watchdog, long expected) {
		assertThat(Settings.takeoverAfter(null, false, Duration.ofMillis(command), Duration.ofMillis(watchdog)))
			.isEqualTo(Duration.ofMillis(expected));
	}

	@Test
	void takeoverThatIsSetCountsAndAQuorumHasNone() {
		Duration second = Duration.ofSeconds(1);

		assertThat(Settings.takeoverAfter(Duration.ZERO, false, second, second.multipliedBy(30))).isZero();
		assertThat(Settings.takeoverAfter(second, false, second, second)).isEqualTo(second);
		assertThat(Settings.takeoverAfter(null, true, second, second.multipliedBy(30))).isZero();
	}

	@Test
	void idTellsTheApplicationAndIsNewForEachClient() {
		try (RedisLockClient one = RedisLockClient.builder(this.nowhere).application("orders").build();
				RedisLockClient two = RedisLockClient.builder(this.nowhere).application("orders").build()) {
			assertThat(one.id()).startsWith("orders@").isNotEqualTo(two.id());
		}
	}

	static Stream<Arguments> nullIsRefusedByName() {
		return Stream.of(bad("Key prefix", (builder) -> builder.keyPrefix(null)),
				bad("Application", (builder) -> builder.application(null)),
				bad("Wait time", (builder) -> builder.waitTime(null)),
				bad("Lease time", (builder) -> builder.leaseTime(null)),
				bad("Watchdog timeout", (builder) -> builder.watchdogTimeout(null)),
				bad("Waiter timeout", (builder) -> builder.waiterTimeout(null)),
				bad("Takeover after", (builder) -> builder.takeoverAfter(null)),
				bad("Token retention", (builder) -> builder.tokenRetention(null)),
				bad("Held too long", (builder) -> builder.heldTooLong(null)),
				bad("Wait too long", (builder) -> builder.waitTooLong(null)),
				bad("Observer", (builder) -> builder.observer(null)));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void nullIsRefusedByName(String name, Change change) {
		assertThatNullPointerException().isThrownBy(() -> RedisLockClient.builder(null));
		RedisLockClientBuilder builder = RedisLockClient.builder(this.nowhere);

		assertThatNullPointerException().isThrownBy(() -> change.apply(builder))
			.withMessage(name + " must not be null");
	}

	interface Change {

		void apply(RedisLockClientBuilder builder);

	}

}
