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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * That the quick way of {@code mutex-request.lua} does what its steps do, and that many
 * requests in one call do what they do one by one.
 */
class MutexRequestScriptTests extends ScriptContract {

	private static final String QUICK = "local function quick(key, request)\n";

	private static final RedisScript<String> STEPS_ONLY = new DefaultRedisScript<>(
			LockScript.REQUEST.getScriptAsString().replace(QUICK, QUICK + "  if key then return nil end\n"),
			String.class);

	private static final String ACQUIRE = "acquire x reentrant 60000 1 0 " + LATER;

	@Override
	List<?> runOn(String lock) {
		return acquire("a");
	}

	static Stream<Arguments> states() {
		List<List<String>> states = List.of( //
				List.of(), //
				List.of("hold", "a", "token", "1000"), //
				List.of("hold", "a", "token", "1000", "lost", "999"), //
				List.of("hold", "a", "token", "1000", "lost", "999", "last", "2000", "released", "b c"), //
				List.of("hold", "a", "token", "1000", "lost", "999", "released", "x b"), //
				List.of("hold", "a", "token", "5000000000000000", "lost", "999"), //
				List.of("hold", "a", "token", "1000", "last", "5000000000000000", "lost", "999"), //
				List.of("hold", "x", "token", "1000", "lost", "999"), //
				List.of("token", "1000", "lost", "999"), //
				held("a", "99999999999999"), held("a", "1"), held("x", "99999999999999"), held("x", "1"),
				with(held("a", "99999999999999"), "head", "w", "tail", "w", "w:w",
						"- - 1 99999999999999 60000 1 fair one"),
				with(held("x", "99999999999999"), "head", "w", "tail", "w", "w:w",
						"- - 1 99999999999999 60000 1 fair one"),
				with(held("x", "99999999999999"), "head", "w", "tail", "w", "w:w", "- - 1 1 60000 1 fair one"),
				with(held("a", "99999999999999"), "head", "x", "tail", "x", "w:x",
						"- - 1 99999999999999 60000 1 fair one"));
		List<String> requests = List.of(ACQUIRE, "acquire x fair 10 1 1 " + LATER, "acquire x reentrant 60000 5 1 1",
				"acquire x reentrant 60000 1 1 1", "acquire x reentrant 60000 1 0 0", "release x 1000", "release x 0",
				"release a 1000", "release x 1000 y reentrant 60000 1");
		return states.stream().flatMap((state) -> requests.stream().map((request) -> Arguments.of(state, request)));
	}

	private static List<String> held(String id, String until) {
		return List.of("hold", id, "until", until, "since", "1700000000000", "client", "one", "type", "fair", "token",
				"1700000000000000", "lost", "999");
	}

	private static List<String> with(List<String> state, String... more) {
		return Stream.concat(state.stream(), Arrays.stream(more)).toList();
	}

	@ParameterizedTest
	@MethodSource("states")
	void quickWayDoesWhatTheStepsDo(List<String> state, String request) {
		assertThat(STEPS_ONLY.getSha1()).isNotEqualTo(LockScript.REQUEST.getSha1());

		Outcome quick = outcome(LockScript.REQUEST, state, request);
		Outcome steps = outcome(STEPS_ONLY, state, request);

		assertThat(quick).isEqualTo(steps);
	}

	/**
	 * What a request does to a state, with moments made the same.
	 */
	private Outcome outcome(RedisScript<String> script, List<String> state, String request) {
		redis.delete(this.key);
		for (int i = 0; i < state.size(); i += 2) {
			redis.opsForHash().put(this.key, state.get(i), state.get(i + 1));
		}
		redis.expire(this.key, Duration.ofMinutes(6));
		String answer = Objects.requireNonNull(
				redis.execute(script, List.of(this.key), "one", TIMEOUT, RETENTION, this.channels, request));
		Map<String, String> hash = new TreeMap<>(hash());
		hash.replaceAll((field, value) -> withoutMoments(value));
		Long ttl = redis.getExpire(this.key, TimeUnit.MILLISECONDS);
		return new Outcome(withoutMoments(answer).replaceAll("(HOLDS|WAITS|NONE) [1-9]\\d+", "$1 left"), hash,
				(ttl <= 0) ? ttl : (ttl >= 300_000 - 10_000) ? 1 : 0);
	}

	/**
	 * Leaves alone what a test has set.
	 */
	private static String withoutMoments(String text) {
		return text.replaceAll("\\b(?!1700000000)1[6-9]\\d{11,14}\\b", "moment");
	}

	@Test
	void manyRequestsAreAnsweredInTheirOrder() {
		String other = this.prefix + "lock:other";

		List<?> answers = many(List.of(this.key, other, this.key, this.key, this.key), ACQUIRE,
				"acquire o fair 5000 1 0 " + LATER, "acquire y reentrant 60000 1 1 " + LATER, "release x 0",
				"release unknown 0");

		assertThat(answers.stream().map(String::valueOf)).satisfiesExactly(
				(answer) -> assertThat(answer).matches("x \\d+ HOLDS 60000 .*"),
				(answer) -> assertThat(answer).matches("o \\d+ HOLDS 5000 .*"),
				(answer) -> assertThat(answer).matches("y \\d+ WAITS .*"),
				(answer) -> assertThat(answer).isEqualTo("x RELEASED"),
				(answer) -> assertThat(answer).isEqualTo("unknown GONE"));
		assertThat(hash()).containsEntry("hold", "y").containsKey("until");
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
		return Objects.requireNonNull(redis.execute(LockScript.REQUESTS, keys,
				Stream.concat(Stream.of("one", TIMEOUT, RETENTION, this.channels), Arrays.stream(requests)).toArray()));
	}

	private record Outcome(String answer, Map<String, String> hash, long ttl) {
	}

}
