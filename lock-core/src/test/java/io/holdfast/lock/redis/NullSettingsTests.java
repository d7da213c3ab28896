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

import java.util.function.Consumer;
import java.util.stream.Stream;

import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A setting that is {@code null} is named.
 */
class NullSettingsTests {

	private final RedisConnectionFactory connections = RedisDriver.LETTUCE.connect(RedisProcess.shared());

	@AfterEach
	void disconnect() {
		RedisDriver.disconnect(this.connections);
	}

	static Stream<Arguments> settings() {
		return Stream.of(setting("Key prefix", (builder) -> builder.keyPrefix(null)),
				setting("Application", (builder) -> builder.application(null)),
				setting("Wait time", (builder) -> builder.waitTime(null)),
				setting("Lease time", (builder) -> builder.leaseTime(null)),
				setting("Watchdog timeout", (builder) -> builder.watchdogTimeout(null)),
				setting("Waiter timeout", (builder) -> builder.waiterTimeout(null)),
				setting("Token retention", (builder) -> builder.tokenRetention(null)),
				setting("Held too long", (builder) -> builder.heldTooLong(null)),
				setting("Wait too long", (builder) -> builder.waitTooLong(null)),
				setting("Observer", (builder) -> builder.observer(null)),
				setting("Observer", (builder) -> builder.observer(null)));
	}

	private static Arguments setting(String name, Consumer<RedisLockClientBuilder> change) {
		return Arguments.of(name, change);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("settings")
	void nullIsRefusedByName(String name, Consumer<RedisLockClientBuilder> change) {
		RedisLockClientBuilder builder = RedisLockClient.builder(this.connections);

		assertThatExceptionOfType(NullPointerException.class).isThrownBy(() -> change.accept(builder))
			.withMessage(name + " must not be null");
	}

}
