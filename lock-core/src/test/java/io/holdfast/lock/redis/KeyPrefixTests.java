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

import java.util.UUID;

import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Clients with different prefixes share no lock.
 */
class KeyPrefixTests {

	private final RedisConnectionFactory connections = RedisDriver.LETTUCE.connect(RedisProcess.shared());

	@AfterEach
	void disconnect() {
		RedisDriver.disconnect(this.connections);
	}

	private RedisLockClient open(String prefix) {
		return RedisLockClient.builder(this.connections).keyPrefix(prefix).build();
	}

	@Test
	void prefixThatEndsAsAKeyGoesOnIsRefusedOrSharesNothing() {
		String prefix = "p" + UUID.randomUUID() + ":";
		try (RedisLockClient one = open(prefix); RedisLockClient two = open(prefix + "lock:")) {
			assertThat(one.getLock("lock:x").tryLock()).isTrue();

			assertThat(two.getLock("x").isLocked()).isFalse();
			assertThat(two.getLock("x").tryLock()).isTrue();
			assertThat(two.directory().list(null, 1000).locks()).hasSize(1);
		}
		catch (IllegalArgumentException ex) {
			assertThat(ex.getMessage()).containsIgnoringCase("prefix");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "\uD83D:", "\uDE00:", "p\uD83D\uD83D\uDE00:" })
	void halfASurrogatePairIsRefused(String prefix) {
		assertThatIllegalArgumentException().isThrownBy(() -> open(prefix).close())
			.satisfies((ex) -> assertThat(ex.getMessage()).containsIgnoringCase("prefix").contains("surrogate"));
	}

}
