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

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * That many requests in one call do what they do one by one.
 */
class LockRequestsScriptTests extends ScriptContract {

	private static final String ACQUIRE = "acquire x xr 60000 1 1 1 0 " + LATER;

	@Override
	List<?> runOn(String lock) {
		return run(ScriptCall.together("one", settings(TIMEOUT), List.of(withLayout(ACQUIRE))), lock);
	}

	@Test
	void requestsAfterOneThatIsRefusedAreNotTried() {
		String broken = this.prefix + "lock:broken";
		String other = this.prefix + "lock:other";
		redis.opsForValue().set(broken, "text");

		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> many(List.of(this.key, broken, other), ACQUIRE, ACQUIRE, ACQUIRE))
			.havingRootCause()
			.withMessageContaining("WRONGTYPE");

		assertThat(hash()).containsEntry("hold", "x");
		assertThat(redis.hasKey(other)).isFalse();
	}

	@Test
	void releaseOfWhatIsNoLockStopsNoOtherRequest() {
		String broken = this.prefix + "lock:broken";
		redis.opsForValue().set(broken, "text");

		List<?> answers = many(List.of(broken, this.key), "release x 1", ACQUIRE);

		assertThat(answers.get(0)).isEqualTo("x GONE");
		assertThat(hash()).containsEntry("hold", "x");
		assertThat(redis.opsForValue().get(broken)).isEqualTo("text");
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> many(List.of(broken, broken), "release x 1", ACQUIRE))
			.havingRootCause()
			.withMessageContaining("WRONGTYPE");
	}

	@Test
	void repeatOfManyGivesTheSameAnswers() {
		List<?> first = many(List.of(this.key, this.key), ACQUIRE, "release x 0");
		Map<String, String> before = hash();

		List<?> second = many(List.of(this.key, this.key), ACQUIRE, "release x 0");

		assertThat(first.get(1)).isEqualTo("x RELEASED").isEqualTo(second.get(1));
		assertThat((String) second.get(0)).matches("x \\d+ LATE");
		assertThat(hash()).isEqualTo(before);
	}

	private List<?> many(List<String> keys, String... requests) {
		List<String> wanted = Arrays.stream(requests).map(ScriptContract::withLayout).toList();
		List<?> answers = run(ScriptCall.together("one", settings(TIMEOUT), wanted), keys.toArray(String[]::new));
		return IntStream.range(0, keys.size())
			.mapToObj((i) -> bare(ScriptCall.inFull(wanted.get(i), (String) answers.get(i))))
			.toList();
	}

}
