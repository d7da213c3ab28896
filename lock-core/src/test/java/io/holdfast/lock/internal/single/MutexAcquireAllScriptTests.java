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

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@code mutex-acquire-all.lua}, which grants several locks or none.
 */
class MutexAcquireAllScriptTests extends ScriptContract {

	private final String other = this.prefix + "lock:other";

	private final String third = this.prefix + "lock:third";

	private final List<String> keys = List.of(this.other, this.key, this.third);

	@Override
	List<?> runOn(String lock) {
		return List.of(acquireAll(List.of(this.other, lock), "o", "a"));
	}

	@Test
	void grantsAllIfAllAreFree() {
		List<String> answers = acquireAll(this.keys, "o", "a", "t");

		assertThat(answers).allSatisfy((answer) -> assertThat(answer).matches(". \\d+ HOLDS 60000 (\\d+) \\1 0 0"));
		assertThat(hash()).containsEntry("hold", "a").containsEntry("owner", "xr one");
		assertThat(number("until")).isGreaterThan(number("token") / 1000);
		assertThat(answers.get(1)).contains(" " + number("token") + " ");
		assertTtl(360_000);
		assertThat(stored(this.third)).containsEntry("hold", "2:t");
		assertThat(messages()).isEmpty();
	}

	@Test
	void locksThatWereReleasedAreFreeAndTokensGrow() {
		acquire("before");
		long token = number("token");
		release("before", token);

		acquireAll(this.keys, "o", "a", "t");

		assertThat(hash()).containsEntry("hold", "a").containsEntry("released", "before");
		assertThat(number("token")).isGreaterThan(token);
	}

	@Test
	void holdThatHasEndedIsNone() {
		acquire("before");
		endHold();

		assertThat(acquireAll(this.keys, "o", "a", "t").get(1)).contains(" HOLDS ");

		assertThat(hash()).containsEntry("hold", "a");
		assertThat(number("lost")).isPositive();
	}

	@Test
	void clientWithCallersThatWaitGetsTheirTokens() {
		acquire("before");
		release("before", 0);

		String answer = run(List.of(this.key), "acquire a xf 60000 1000 0 " + LATER).get(0);

		assertThat(answer).matches("a \\d+ HOLDS 60000 .*");
		assertThat(number("last")).isGreaterThan(number("token"));
	}

	@Test
	void grantsNothingIfOneIsHeld() {
		acquire("b");
		Map<String, String> before = stored();

		List<String> answers = acquireAll(this.keys, "o", "a", "t");

		assertThat(answers).allSatisfy((answer) -> assertThat(answer).matches(". \\d+ NONE .*"));
		assertThat(stored()).isEqualTo(before);
		assertThat(stored(this.other)).isEmpty();
		assertThat(stored(this.third)).isEmpty();
		// Nobody joins, so nobody has to know.
		assertThat(messages()).isEmpty();
	}

	@Test
	void grantsNothingWhereSomebodyWaits() {
		acquire("b");
		join("w", "two");
		endHold();
		Map<String, String> before = stored();

		assertThat(acquireAll(this.keys, "o", "a", "t").get(1)).contains(" NONE ");

		assertThat(stored()).isEqualTo(before);
		assertThat(stored(this.other)).isEmpty();
	}

	@Test
	void repeatGivesTheSameAnswer() {
		List<String> first = acquireAll(this.keys, "o", "a", "t");
		Map<String, String> before = stored();

		List<String> second = acquireAll(this.keys, "o", "a", "t");

		assertThat(second).map(MutexAcquireAllScriptTests::withoutMoments)
			.isEqualTo(first.stream().map(MutexAcquireAllScriptTests::withoutMoments).toList());
		assertThat(stored()).isEqualTo(before);
	}

	@Test
	void repeatAfterTheEndOfOneHoldGrantsNothingAndSaysWhoHolds() {
		acquireAll(this.keys, "o", "a", "t");
		release("a");

		List<String> answers = acquireAll(this.keys, "o", "a", "t");

		assertThat(answers.get(0)).contains(" HOLDS ");
		assertThat(answers.get(1)).contains(" NONE ");
		assertThat(hash()).doesNotContainKey("until");
	}

	@Test
	void requestThatWasReleasedIsNotGrantedAgain() {
		acquireAll(List.of(this.key), "a");
		release("a");
		Map<String, String> before = stored();

		// With an id that the others know nothing of.
		assertThat(acquireAll(this.keys, "o", "a", "t")).allSatisfy((answer) -> assertThat(answer).contains(" NONE "));
		acquire("b");
		release("b");
		assertThat(acquireAll(this.keys, "o", "a", "t")).allSatisfy((answer) -> assertThat(answer).contains(" NONE "));

		assertThat(before).containsEntry("hold", "2:a");
		assertThat(hash()).containsEntry("hold", "b");
		assertThat(stored(this.other)).isEmpty();
	}

	@Test
	void requestsThatComeAfterTheirDeadlineAreNotGranted() {
		assertThat(run(List.of(this.other, this.key), "acquire o xr 60000 1 0 " + LATER, "acquire a xr 60000 1 0 1"))
			.allSatisfy((answer) -> assertThat(answer).contains(" NONE "));

		assertThat(stored()).isEmpty();
		assertThat(stored(this.other)).isEmpty();
	}

	@Test
	void keyOfAnotherTypeLeavesAllAlone() {
		redis.opsForValue().set(this.third, "text");

		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> acquireAll(this.keys, "o", "a", "t"))
			.havingRootCause()
			.withMessageContaining("WRONGTYPE");

		assertThat(stored()).isEmpty();
		assertThat(stored(this.other)).isEmpty();
	}

	@Test
	void fullMemoryLeavesAllAlone() {
		withFullMemory(() -> assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> acquireAll(this.keys, "o", "a", "t"))
			.havingRootCause()
			.withMessageContaining("OOM"));

		assertThat(stored()).isEmpty();
		assertThat(stored(this.other)).isEmpty();
		assertThat(acquireAll(this.keys, "o", "a", "t")).allSatisfy((answer) -> assertThat(answer).contains(" HOLDS "));
	}

	private List<String> acquireAll(List<String> locks, String... ids) {
		return run(locks,
				Arrays.stream(ids)
					.map((id) -> "acquire " + id + " xr " + LEASE + " 1 0 " + LATER)
					.toArray(String[]::new));
	}

	private List<String> run(List<String> locks, String... requests) {
		List<?> answers = Objects.requireNonNull(redis.execute(LockScript.ACQUIRE_ALL, locks,
				Stream
					.concat(Stream.of("one", TIMEOUT, RETENTION, this.channels),
							Arrays.stream(requests).map(ScriptContract::withLayout))
					.toArray()));
		assertThat(answers).hasSameSizeAs(locks);
		return answers.stream().map((answer) -> bare((String) answer)).toList();
	}

	private static String withoutMoments(String answer) {
		return answer.replaceFirst("(?<=^. )\\d+", "now").replaceFirst("(?<=HOLDS )\\d+", "left");
	}

	private Map<String, String> stored(String lock) {
		return new HashMap<>(redis.<String, String>opsForHash().entries(lock));
	}

}
