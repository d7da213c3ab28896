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

package io.holdfast.lock.quorum;

import java.time.Duration;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The settings of a quorum. */
class RedisQuorumTests {

	private static List<RedisConnectionFactory> servers(int number) {
		return Collections.nCopies(number, new JedisConnectionFactory());
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2, 4, 11 })
	void numberOfServersThatIsNoQuorumIsRefused(int number) {
		assertThatIllegalArgumentException().isThrownBy(() -> RedisQuorum.of(servers(number)))
			.withMessage("A quorum takes 3, 5, 7 or 9 servers, not " + number);
	}

	@Test
	void settingsOutOfTheirBoundsAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisQuorum.of(servers(3)).timeout(Duration.ofMillis(9)).clientBuilder().build())
			.withMessageStartingWith("Quorum timeout must be between 10ms and 1m");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisQuorum.of(servers(3)).restartGuard(Duration.ofDays(2)).clientBuilder().build())
			.withMessageStartingWith("Restart guard must be between 0s and 1d");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisQuorum.of(servers(3)).clientBuilder().takeoverAfter(Duration.ofSeconds(2)).build())
			.withMessageStartingWith("Takeover after on a quorum must be between 0s and 0s");
	}

	@Test
	@SuppressWarnings("NullAway") // Applications may have no such check
	void nullIsRefusedByName() {
		assertThatExceptionOfType(NullPointerException.class).isThrownBy(() -> RedisQuorum.of(servers(3)).timeout(null))
			.withMessage("Quorum timeout must not be null");
		assertThatExceptionOfType(NullPointerException.class)
			.isThrownBy(() -> RedisQuorum.of(servers(3)).restartGuard(null))
			.withMessage("Restart guard must not be null");
	}

}
