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

package io.holdfast.lock.internal.redis;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LockAcquireScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return join("a");
	}

	@Test
	void exclusiveHoldCanBeReadByOperators() {
		List<?> answer = acquire("a");
		long now = (Long) answer.get(0);
		long token = number("token");

		assertThat(answer.subList(1, 6)).isEqualTo(List.of("HOLDS", 60_000L, token, token, 0L));
		assertThat(token / 1000).isEqualTo(now);
		assertThat(stored()).isEqualTo(Map.of("hold", "3:a", "owner", "xr one", "until", "3:" + (now + 60_000), "token",
				Long.toString(token), "lost", Long.toString(token - 1)));
		assertTtl(360_000);
	}

	@Test
	void groupCanBeReadByOperators() {
		long now = (Long) permits("a", 2, 5).get(0);
		long token = number("token");

		assertThat(stored()).isEqualTo(Map.of("hold", "3: +", "until", "3:" + (now + 60_000), "token",
				Long.toString(token), "lost", Long.toString(token - 1), "group", "p 2 " + (now + 60_000), "h:3:a",
				(now + 60_000) + " 2 5 " + token + " 0 pr of-a"));
		assertTtl(360_000);
	}

	/** By the quick way and by the steps. */
	@ParameterizedTest
	@ValueSource(strings = { "3:z", "3:" })
	void tokenIsLaterThanOneOfTheFuture(String latest) {
		redis.opsForHash().putAll(this.key, Map.of("hold", latest, "token", "5000000000000777"));

		assertThat(acquire("a").get(3)).isEqualTo(5_000_000_000_000_778L);
	}

	@Test
	void requestWhoseHoldWasReleasedGetsNoSecondOne() {
		acquire("a");
		release("a");
		assertThat(acquire("a").get(1)).isEqualTo("LATE");

		acquire("b");
		join("c");
		release("b");
		release("c");
		assertThat(join("b").get(1)).isEqualTo("LATE");
	}

	@Test
	void fullMemoryRefusesWithNothingChanged() {
		withFullMemory(() -> assertOutOfMemory(() -> acquire("a")));
		assertThat(redis.hasKey(this.key)).isFalse();

		assertThat(messages()).isEmpty();
	}

	@Test
	void lockThatExistsIsServedWhenMemoryIsFull() {
		acquire("a");

		withFullMemory(() -> {
			assertThat(join("b").get(1)).isEqualTo("WAITS");
			assertThat(join("b").get(1)).isEqualTo("WAITS");
			release("a");
			release("b");
			assertThat(acquire("c").get(1)).isEqualTo("HOLDS");
		});
	}

	@Test
	void groupIsServedWhenMemoryIsFull() {
		read("a");

		withFullMemory(() -> {
			assertThat(read("b").get(1)).isEqualTo("HOLDS");
			assertThat(renew("b", "70000", "0").get(1)).isEqualTo("HOLDS");
			assertThat(join("w").get(1)).isEqualTo("WAITS");
			assertThat(release("b").get(1)).isEqualTo("RELEASED");
			assertThat(release("a").get(1)).isEqualTo("RELEASED");
		});

		assertThat(state().holders()).containsExactly("3:w");
	}

	private static void assertOutOfMemory(Runnable call) {
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(call::run)
			.havingRootCause()
			.withMessageContaining("OOM");
	}

}
