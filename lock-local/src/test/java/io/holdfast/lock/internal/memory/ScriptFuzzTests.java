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

package io.holdfast.lock.internal.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import io.holdfast.lock.internal.memory.ScriptCalls.Ask;
import io.holdfast.lock.internal.memory.ScriptCalls.Call;
import io.holdfast.lock.internal.memory.ScriptCalls.Kind;
import io.holdfast.lock.internal.redis.LockHash;
import io.holdfast.lock.testing.Fuzz;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random calls of the scripts for two locks of every kind, with deaths, repeats, lost
 * data and time that goes on. After each the answer, the messages and what is stored are
 * those of the lock in memory ({@link MemoryTexts}), and the {@link LockRules} are kept.
 * The clock of the scripts is a key, so that a seed says all that happens.
 */
class ScriptFuzzTests {

	private static final long TIMEOUT = 60_000;

	private static final long RETENTION = 300_000;

	/** By how much the time to live, which is real, may differ from the clock. */
	private static final long SLACK = 30_000;

	private static final RedisProcess SERVER = RedisProcess.start();

	private static final RedisConnectionFactory CONNECTIONS = RedisDriver.JEDIS.connect(SERVER);

	private static final FakeTimeScripts scripts = new FakeTimeScripts(CONNECTIONS, TIMEOUT, RETENTION);

	private static final List<String> KEYS = List.of("lock:a", "lock:b c");

	@AfterAll
	static void stop() {
		RedisDriver.disconnect(CONNECTIONS);
		SERVER.close();
	}

	@Test
	void scriptsDoWhatTheMemoryDoes() {
		Fuzz.forAbout(Duration.ofSeconds(10), (random) -> new Run(random).go());
	}

	/**
	 * One sequence of calls.
	 */
	private static final class Run {

		private final Random random;

		private final List<String> messages = new ArrayList<>();

		private final List<MemoryTexts> models = KEYS.stream()
			.map((key) -> new MemoryTexts(key, TIMEOUT, RETENTION, this.messages))
			.toList();

		private final List<LockRules> rules = KEYS.stream().map((key) -> new LockRules()).toList();

		private final ScriptCalls calls;

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
			this.calls = new ScriptCalls(random, (lock) -> scripts.state(KEYS.get(lock)), KEYS);
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
			scripts.loseData();
			this.models.forEach(MemoryTexts::forget);
			this.rules.forEach(LockRules::forget);
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
			this.micros += millis * 1000 + 50 + this.random.nextInt(2000);
			scripts.setClock(this.micros);
			this.models.forEach((model) -> model.setClock(this.micros));
			if (millis != 0) {
				IntStream.range(0, KEYS.size()).forEach((i) -> age(i, millis));
			}
		}

		private void age(int lock, long millis) {
			if (scripts.age(KEYS.get(lock), millis)) {
				assertThat(this.used[lock] + RETENTION).as("end of " + KEYS.get(lock))
					.isLessThan(this.micros / 1000 + SLACK + this.setBack);
				this.models.get(lock).forget();
				this.rules.get(lock).forget();
			}
		}

		/**
		 * Makes a call to Redis and to the models.
		 */
		private void run(Call call) {
			scripts.takeStepsOnly(this.random.nextInt(3) == 0);
			this.log.add(this.micros + " " + call);
			List<LockHash> before = call.asks().stream().map((ask) -> scripts.state(KEYS.get(ask.lock()))).toList();
			List<String> expected = call.asks()
				.stream()
				.map((ask) -> ask.model().apply(this.models.get(ask.lock())))
				.toList();

			List<String> answers = scripts.answers(call,
					call.asks().stream().map((ask) -> KEYS.get(ask.lock())).toList());

			this.log.add("    " + answers);
			for (int i = 0; i < answers.size(); i++) {
				assertAnswer(call.asks().get(i), answers.get(i), expected.get(i), before.get(i),
						call.asks().size() == 1);
			}
			assertStored();
			if (call.asks().size() == 1) {
				Ask ask = call.asks().get(0);
				this.rules.get(ask.lock())
					.check(before.get(0), ask.text(), answers.get(0), scripts.state(KEYS.get(ask.lock())),
							this.micros / 1000);
			}
			else {
				IntStream.range(0, KEYS.size())
					.forEach((i) -> this.rules.get(i).checkHolds(scripts.state(KEYS.get(i)), this.micros / 1000));
			}
			this.calls.answered(call, answers);
		}

		/**
		 * The memory remembers more of what was released without a stamp.
		 */
		private static void assertAnswer(Ask ask, String answer, String expected, LockHash before, boolean alone) {
			String said = MemoryTexts.comparable(answer);
			if (said.startsWith("GONE") && expected.startsWith("RELEASED")
					&& !(alone && before.released().contains(ask.id()))) {
				said = said.replaceFirst("GONE", "RELEASED");
			}
			assertThat(said).as(ask.text()).isEqualTo(expected);
		}

		private void repeat(Call call) {
			Ask ask = call.asks().get(0);
			LockHash before = scripts.state(KEYS.get(ask.lock()));
			run(call);
			LockHash after = scripts.state(KEYS.get(ask.lock()));
			if (call.kind() != Kind.EVICT) {
				assertThat(after.waiters()).as("after the repeat").isEqualTo(before.waiters());
				assertThat(after.holders()).as("after the repeat").isEqualTo(before.holders());
			}
			if (call.kind() == Kind.REQUEST) {
				assertThat(after.last()).as("after the repeat").isEqualTo(before.last());
			}
		}

		private void assertStored() {
			for (int i = 0; i < KEYS.size(); i++) {
				LockHash stored = scripts.state(KEYS.get(i));
				assertThat(MemoryTexts.comparable(stored)).as(KEYS.get(i)).isEqualTo(this.models.get(i).state());
				long latest = stored.queue().stream().mapToLong((place) -> place.alive()).max().orElse(0);
				latest = Math.max(latest, stored.usedUntil());
				this.used[i] = (latest > 0) ? latest : Math.min(this.used[i], this.micros / 1000);
				assertTimeToLive(KEYS.get(i), stored, this.used[i] - this.micros / 1000);
			}
			List<String> sent = scripts.takeMessages();
			for (String key : KEYS) {
				assertThat(ofLock(key, sent)).isEqualTo(ofLock(key, this.messages));
			}
			this.messages.clear();
		}

		private static List<String> ofLock(String key, List<String> messages) {
			return messages.stream().filter((message) -> message.endsWith(" " + key)).sorted().toList();
		}

		/**
		 * That a key lives for the retention after its use, and at most about twice that.
		 */
		private void assertTimeToLive(String key, LockHash stored, long used) {
			long left = scripts.millisLeft(key);
			if (stored.last() == 0) {
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
			for (int i = 0; i < KEYS.size(); i++) {
				assertThat(scripts.holds(KEYS.get(i))).isEqualTo(this.models.get(i).described());
				assertThat(scripts.queue(KEYS.get(i))).isEqualTo(this.models.get(i).waiters());
			}
		}

	}

}
