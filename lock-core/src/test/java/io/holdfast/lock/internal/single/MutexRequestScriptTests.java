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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * That the quick ways of scripts do what their steps do, and that many requests in one
 * call do what they do one by one.
 */
class MutexRequestScriptTests extends ScriptContract {

	private static final String ACQUIRE = "acquire x xr 60000 1 0 " + LATER;

	@Override
	List<?> runOn(String lock) {
		return run(LockScript.REQUESTS, lock, "one", TIMEOUT, RETENTION, this.channels, withLayout(ACQUIRE));
	}

	static Stream<Arguments> states() {
		List<List<String>> states = List.of( //
				List.of(), //
				List.of("hold", "2:a", "token", "1000", "lost", "999"), //
				List.of("hold", "2:a", "token", "1000", "lost", "999", "released", "2:b 2:c"), //
				List.of("hold", "2:a", "token", "1000", "lost", "999", "released", "2:x 2:b"), //
				List.of("hold", "2:a", "token", "5000000000000000", "lost", "999"), //
				List.of("hold", "2:a", "token", "text", "lost", "999"), //
				List.of("hold", "2:a", "lost", "999"), //
				List.of("hold", "2:x", "token", "1000", "lost", "999"), //
				List.of("hold", "2:", "token", "1000", "lost", "1000"), //
				List.of("hold", "3:a", "token", "1000", "lost", "999"), //
				List.of("hold", "a", "token", "1000", "lost", "999"), //
				List.of("hold", "a", "until", "99999999999999", "token", "1000", "client", "one"), //
				List.of("token", "1000", "lost", "999"), //
				held("2:a", "2:99999999999999"), held("2:a", "2:1"), held("2:x", "2:99999999999999"),
				held("2:x", "2:1"), with(held("2:a +", "2:99999999999999"), "last", "2000000000000000"),
				with(held("2:x +", "2:99999999999999"), "last", "2000000000000000", "since", "1600000000000"),
				queued("2:a +", "2:99999999999999", "2:w", "99999999999999"),
				queued("2:x +", "2:99999999999999", "2:w", "99999999999999"),
				queued("2:x +", "2:99999999999999", "2:w", "1"),
				queued("2:a +", "2:99999999999999", "2:x", "99999999999999"));
		List<String> requests = List.of(ACQUIRE, "acquire x xf 10 1 1 " + LATER, "acquire x xr 60000 5 1 1",
				"acquire x xr 600000 1 0 " + LATER, "acquire x xr 60000 1 1 1", "acquire x xr 60000 1 0 0",
				"release x 1000", "release x 0", "release a 1000", "release x 1000 y xr 60000 1", "renew x 60000 0",
				"renew x 60000 5", "renew x 400000 0", "renew a 1 0");
		return states.stream().flatMap((state) -> requests.stream().map((request) -> Arguments.of(state, request)));
	}

	private static List<String> held(String hold, String until) {
		return List.of("hold", hold, "until", until, "owner", "xf one", "token", "1700000000000000", "lost", "999");
	}

	private static List<String> queued(String hold, String until, String waiter, String alive) {
		return with(held(hold, until), "head", waiter, "tail", waiter, "w:" + waiter,
				"- - 1 " + alive + " 60000 1 10000 xf one");
	}

	private static List<String> with(List<String> state, String... more) {
		return Stream.concat(state.stream(), Arrays.stream(more)).toList();
	}

	@ParameterizedTest
	@MethodSource("states")
	void quickWayDoesWhatTheStepsDo(List<String> state, String bare) {
		String request = withLayout(bare);
		List<Outcome> outcomes = new ArrayList<>();
		for (boolean stepsOnly : new boolean[] { false, true }) {
			if (bare.startsWith("renew ")) {
				Object[] args = Stream
					.concat(Stream.of(TIMEOUT, RETENTION, this.channels, "call"),
							Arrays.stream(request.split(" ", -1)).skip(1))
					.toArray();
				outcomes.add(outcome(LockScript.RENEW, stepsOnly, state, request, args));
				continue;
			}
			outcomes.add(outcome(LockScript.REQUESTS, stepsOnly, state, request, "one", TIMEOUT, RETENTION,
					this.channels, request));
			if (ScriptCall.suits(List.of(request))) {
				ScriptCall one = ScriptCall.of(request, "one", TIMEOUT, RETENTION, this.channels);
				outcomes.add(outcome(one.script(), stepsOnly, state, request, one.args()));
			}
		}

		assertThat(new HashSet<>(outcomes)).hasSize(1);
	}

	@Test
	void stepsOnlyTakesNoQuickWay() {
		assertThat(List.of(LockScript.ACQUIRE, LockScript.RELEASE, LockScript.REQUESTS, LockScript.RENEW))
			.allSatisfy((script) -> assertThat(ScriptCall.stepsOnly(script).getSha1()).isNotEqualTo(script.getSha1()));
	}

	/**
	 * What a request does to a state, with moments made the same.
	 */
	private Outcome outcome(RedisScript<?> script, boolean stepsOnly, List<String> state, String request,
			Object... args) {
		redis.delete(this.key);
		for (int i = 0; i < state.size(); i += 2) {
			redis.opsForHash().put(this.key, state.get(i), state.get(i + 1));
		}
		redis.expire(this.key, Duration.ofMinutes(6));
		String answer;
		try {
			RedisScript<?> run = stepsOnly ? ScriptCall.stepsOnly(script) : script;
			Object said = redis.execute(run, List.of(this.key), args);
			answer = (said instanceof List<?> list) ? (String) list.get(list.size() - 1) : (String) said;
		}
		catch (RuntimeException ex) {
			// What names the script is cut off.
			answer = String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage())
				.replaceAll("(?s).*(DAMAGED|WRONGTYPE|LAYOUT).*", "$1");
		}
		String inFull = ScriptCall.inFull(request, Objects.requireNonNull(answer));
		Map<String, String> hash = new TreeMap<>(stored());
		hash.replaceAll((field, value) -> withoutMoments(value));
		Long ttl = redis.getExpire(this.key, TimeUnit.MILLISECONDS);
		return new Outcome(withoutMoments(inFull).replaceAll("(HOLDS|WAITS|NONE) [1-9]\\d+", "$1 left"), hash,
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
				"acquire o xf 5000 1 0 " + LATER, "acquire y xr 60000 1 1 " + LATER, "release x 0",
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
		List<String> wanted = Arrays.stream(requests).map(ScriptContract::withLayout).toList();
		List<?> answers = Objects.requireNonNull(redis.execute(LockScript.REQUESTS, keys,
				Stream.concat(Stream.of("one", TIMEOUT, RETENTION, this.channels), wanted.stream()).toArray()));
		return IntStream.range(0, keys.size())
			.mapToObj((i) -> bare(ScriptCall.inFull(wanted.get(i), (String) answers.get(i))))
			.toList();
	}

	private record Outcome(String answer, Map<String, String> hash, long ttl) {
	}

}
