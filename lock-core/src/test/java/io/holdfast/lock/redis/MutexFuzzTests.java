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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.lock.redis.MutexCalls.Ask;
import io.holdfast.lock.redis.MutexCalls.Call;
import io.holdfast.lock.redis.MutexCalls.Kind;
import io.holdfast.lock.testing.Fuzz;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random calls of the scripts for two locks, with repeats, lost data and time that goes
 * on. After each the answer, the messages and what is stored are those of the
 * {@link MutexModel}, and the {@link MutexRules} are kept. The clock of the scripts is a
 * key, so that a seed says all that happens.
 */
class MutexFuzzTests {

	private static final long TIMEOUT = 60_000;

	private static final long RETENTION = 300_000;

	/** By how much the time to live, which is real, may differ from the clock. */
	private static final long SLACK = 30_000;

	private static final RedisProcess SERVER = RedisProcess.start();

	private static final RedisConnectionFactory CONNECTIONS = RedisDriver.JEDIS.connect(SERVER);

	private static final StringRedisTemplate redis = new StringRedisTemplate(CONNECTIONS);

	private static final Map<RedisScript<?>, RedisScript<?>> SCRIPTS = new HashMap<>();

	private static final List<String> KEYS = List.of("lock:a", "lock:b c");

	@AfterAll
	static void stop() {
		RedisDriver.disconnect(CONNECTIONS);
		SERVER.close();
	}

	@Test
	void locksAreAsTheModelHasThem() {
		int tries = Fuzz.forAbout(Duration.ofSeconds(10), (random) -> new Run(random).go());

		assertThat(tries).isPositive();
	}

	/**
	 * The script with the clock and the messages of the test.
	 */
	@SuppressWarnings("unchecked")
	private static <T> RedisScript<T> withOwnClock(RedisScript<T> script) {
		return (RedisScript<T>) SCRIPTS.computeIfAbsent(script, (original) -> {
			String text = original.getScriptAsString()
				.replace("redis.call('TIME')", "redis.call('HMGET', 'clock', 'seconds', 'micros')")
				.replace("redis.pcall('PUBLISH', channels .. client, table.concat({ ... }, ' '))",
						"redis.call('RPUSH', 'messages', client .. ': ' .. table.concat({ ... }, ' '))");
			assertThat(text).contains("'clock'").doesNotContain("'TIME'", "'PUBLISH'");
			return new DefaultRedisScript<>(text, (Class<T>) original.getResultType());
		});
	}

	/**
	 * One sequence of calls.
	 */
	private static final class Run {

		private final Random random;

		private final List<String> messages = new ArrayList<>();

		private final List<MutexModel> models = KEYS.stream()
			.map((key) -> new MutexModel(key, TIMEOUT, this.messages))
			.toList();

		private final List<MutexRules> rules = KEYS.stream().map((key) -> new MutexRules()).toList();

		private final MutexCalls calls;

		private final List<String> log = new ArrayList<>();

		/**
		 * The clock may be set back, or data be lost: both at once may repeat a token.
		 */
		private final boolean losesData;

		private long micros = 1_700_000_000_000_000L;

		private long setBack;

		/** When each lock was or will be of no use any more. */
		private final long[] used = new long[KEYS.size()];

		Run(Random random) {
			this.random = random;
			this.losesData = random.nextBoolean();
			this.calls = new MutexCalls(random, this.models);
		}

		void go() {
			loseData();
			try {
				for (int left = 20 + this.random.nextInt(100); left > 0; left--) {
					step();
				}
			}
			catch (RuntimeException | AssertionError ex) {
				throw new AssertionError(ex.getMessage() + "\nafter\n" + String.join("\n", this.log), ex);
			}
		}

		private void step() {
			if (this.losesData && this.random.nextInt(60) == 0) {
				loseData();
			}
			passTime();
			Call call = this.calls.next(this.micros / 1000);
			run(call);
			if (call.asks().size() == 1 && this.random.nextInt(6) == 0) {
				repeat(call);
			}
			if (this.random.nextInt(4) == 0) {
				assertOperatorSeesTheSame();
			}
		}

		private void loseData() {
			this.log.add("FLUSHALL");
			redis.execute((RedisCallback<Object>) (connection) -> {
				connection.serverCommands().flushAll();
				return null;
			});
			this.models.forEach(MutexModel::forget);
		}

		private void passTime() {
			long millis = switch (this.random.nextInt(40)) {
				case 0 -> 2 * RETENTION + this.random.nextInt(500_000);
				case 1, 2 -> this.random.nextInt(150_000);
				case 3, 4, 5, 6 -> this.random.nextInt(15_000);
				case 7, 8, 9, 10, 11 -> this.random.nextInt(100);
				case 12 -> (this.losesData || this.setBack > RETENTION / 2) ? 0 : -this.random.nextInt(100_000);
				default -> 0;
			};
			this.setBack -= Math.min(millis, 0);
			this.micros += millis * 1000 + 10 + this.random.nextInt(2000);
			redis.opsForHash()
				.putAll("clock", Map.of("seconds", Long.toString(this.micros / 1_000_000), "micros",
						Long.toString(this.micros % 1_000_000)));
			this.models.forEach((model) -> model.setClock(this.micros));
			if (millis != 0) {
				IntStream.range(0, KEYS.size()).forEach((i) -> age(KEYS.get(i), this.models.get(i), millis));
			}
		}

		private void age(String key, MutexModel model, long millis) {
			Long left = redis.getExpire(key, TimeUnit.MILLISECONDS);
			if (left > millis) {
				redis.expire(key, Duration.ofMillis(left - millis));
			}
			else if (left >= 0) {
				assertThat(this.used[KEYS.indexOf(key)] + RETENTION).as("end of " + key)
					.isLessThan(this.micros / 1000 + SLACK + this.setBack);
				redis.delete(key);
				model.forget();
			}
		}

		/**
		 * Makes a call to Redis and to the models.
		 */
		private List<String> run(Call call) {
			this.log.add(this.micros + " " + call);
			List<String> expected = new ArrayList<>();
			for (Ask ask : call.asks()) {
				MutexModel model = this.models.get(ask.lock());
				MutexState before = model.state();
				String answer = ask.model().apply(model);
				this.rules.get(ask.lock()).check(before, ask.text(), answer, model.state(), this.micros / 1000);
				expected.add(answer);
			}

			List<String> answers = answers(call);

			this.log.add("    " + answers);
			assertThat(answers).isEqualTo(expected);
			assertStored();
			this.calls.answered(call, answers);
			return answers;
		}

		private void repeat(Call call) {
			List<String> waiters = this.models.get(call.asks().get(0).lock()).state().waiters();
			long token = this.models.get(call.asks().get(0).lock()).state().token();
			if (call.kind() == Kind.EVICT && call.asks().get(0).id().isEmpty()) {
				return;
			}
			run(call);
			MutexState after = this.models.get(call.asks().get(0).lock()).state();
			assertThat(after.waiters()).as("after the repeat").isEqualTo(waiters);
			assertThat(after.token()).as("after the repeat").isEqualTo(token);
		}

		private List<String> answers(Call call) {
			List<String> keys = call.asks().stream().map((ask) -> KEYS.get(ask.lock())).toList();
			Stream<String> texts = call.asks().stream().map(Ask::text);
			return switch (call.kind()) {
				case REQUEST -> {
					Object[] args = Stream
						.concat(Stream.of(call.client(), "" + TIMEOUT, "" + RETENTION, "channel:"), texts)
						.toArray();
					yield (keys.size() == 1)
							? List
								.of(Objects.requireNonNull(redis.execute(withOwnClock(LockScript.REQUEST), keys, args)))
							: list(redis.execute(withOwnClock(LockScript.REQUESTS), keys, args));
				}
				case RENEW -> {
					List<String> answer = list(redis.execute(withOwnClock(LockScript.RENEW), keys,
							Stream
								.concat(Stream.of("" + TIMEOUT, "" + RETENTION, "channel:"),
										texts.flatMap((text) -> Arrays.stream(text.split(" ", -1)).skip(1)))
								.toArray()));
					assertThat(answer.get(0)).isEqualTo("" + this.micros / 1000);
					yield answer.subList(1, answer.size());
				}
				case EVICT -> list(redis.execute(withOwnClock(LockScript.EVICT), keys, call.asks().get(0).id(),
						"" + TIMEOUT, "" + RETENTION, "channel:"))
					.subList(1, 2);
			};
		}

		private static List<String> list(List<?> answer) {
			return Objects.requireNonNull(answer).stream().map(String::valueOf).toList();
		}

		private void assertStored() {
			for (int i = 0; i < KEYS.size(); i++) {
				MutexState stored = MutexState.of(redis.<String, String>opsForHash().entries(KEYS.get(i)));
				assertThat(stored).as(KEYS.get(i)).isEqualTo(this.models.get(i).state());
				this.used[i] = (stored.usedUntil() > 0) ? stored.usedUntil()
						: Math.min(this.used[i], this.micros / 1000);
				assertTimeToLive(KEYS.get(i), stored, this.used[i] - this.micros / 1000);
			}
			assertThat(redis.opsForList().range("messages", 0, -1)).isEqualTo(this.messages);
			redis.delete("messages");
			this.messages.clear();
		}

		/**
		 * That a key lives for the retention after its use, and at most about twice that.
		 */
		private void assertTimeToLive(String key, MutexState stored, long used) {
			Long left = redis.getExpire(key, TimeUnit.MILLISECONDS);
			if (stored.equals(MutexState.NOTHING)) {
				assertThat(left).isEqualTo(-2);
			}
			else {
				long most = Math.max(used, stored.queue().isEmpty() ? 0 : TIMEOUT);
				long slack = SLACK + this.setBack;
				assertThat(left).as("time to live of " + key)
					.isPositive()
					.isBetween(used + RETENTION - slack, most + 2 * RETENTION + slack);
			}
		}

		private void assertOperatorSeesTheSame() {
			List<String> described = list(redis.execute(withOwnClock(LockScript.DESCRIBE), KEYS));
			List<String> expected = new ArrayList<>(List.of("" + this.micros / 1000));
			for (MutexModel model : this.models) {
				MutexState state = model.state();
				expected.addAll(!state.isHeldAt(this.micros / 1000) ? List.of("", "", "", "0", "0", "0", "0")
						: List.of(state.hold(), state.client(), state.type(), "" + state.token(), "" + state.since(),
								"" + (state.until() - this.micros / 1000), "" + state.queue().size()));
			}
			assertThat(described).isEqualTo(expected);
			IntStream.range(0, KEYS.size()).forEach((i) -> {
				List<String> waiters = list(
						redis.execute(withOwnClock(LockScript.WAITERS), List.of(KEYS.get(i)), "1000"));
				assertThat(waiters.subList(1, waiters.size())).isEqualTo(this.models.get(i)
					.state()
					.queue()
					.stream()
					.flatMap((place) -> Stream.of((place.alive() > this.micros / 1000) ? "1" : "0", place.type(),
							place.client()))
					.toList());
			});
		}

	}

}
