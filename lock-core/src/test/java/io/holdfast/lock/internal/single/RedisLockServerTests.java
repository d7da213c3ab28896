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

package io.holdfast.lock.internal.single;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.driver.RedisConnections;
import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.driver.RedisSubscription;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.Owed;
import io.holdfast.lock.internal.server.ServerSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnection;

import static org.assertj.core.api.Assertions.assertThat;

/** What {@link RedisLockServer} makes of answers that are not to what it asked. */
class RedisLockServerTests {

	private static final List<Owed> OWED = List.of(new Owed("p:lock:a", "1"), new Owed("p:lock:b", "2"));

	@Test
	void releasesThatTheServerAnswersAreNotOwedAnyMore() {
		assertThat(releaseEach("1 RELEASED,2 GONE")).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "1 RELEASED", "1 RELEASED,3 RELEASED", "1 RELEASED,2 RELEASED,3 RELEASED", "1,2",
			"1 RELEASED,2 NOVEL" })
	void releasesStayOwedWhereTheAnswerIsNoneToThem(String answer) {
		assertThat(releaseEach(answer)).containsOnlyKeys(OWED);
	}

	private static Map<Owed, LockServerException> releaseEach(String answer) {
		ServerSettings settings = new ServerSettings(new LockKeys("p:"), "test@host/1", Duration.ofSeconds(10),
				Duration.ofMinutes(5));
		return new RedisLockServer(new Answering(List.of(answer.split(","))), settings, System::nanoTime)
			.releaseEach(OWED);
	}

	private record Answering(List<String> answer) implements RedisDriver, RedisConnections {

		@Override
		@SuppressWarnings("unchecked")
		public <T> T call(Duration limit, Function<RedisConnection, T> command) {
			return (T) this.answer;
		}

		@Override
		public Duration longestRequest() {
			return LONGEST_REQUEST;
		}

		@Override
		public RedisConnections requests() {
			return this;
		}

		@Override
		public RedisConnections reserved() {
			return this;
		}

		@Override
		public RedisSubscription subscription(byte[] channel, RedisSubscription.Listener listener) {
			throw new UnsupportedOperationException();
		}

	}

}
