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
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import io.holdfast.lock.internal.single.MutexCalls.Ask;
import io.holdfast.lock.internal.single.MutexCalls.Call;
import io.holdfast.lock.internal.single.MutexCalls.Kind;
import io.holdfast.lock.testing.Fuzz;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random calls of the scripts for two locks, with repeats, lost data and time that goes
 * on. After each the answer, the messages and what is stored are those of the lock in
 * memory ({@link MemoryMutex}), and the {@link MutexRules} are kept. The clock of the
 * scripts is a key, so that a seed says all that happens.
 */
class MutexFuzzTests {

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
	void locksAreAsThoseInMemory() {
		int tries = Fuzz.forAbout(Duration.ofSeconds(10), (random) -> new Run(random).go());

		assertThat(tries).isPositive();
	}

	/**
	 * One sequence of calls.
	 */
	private static final class Run {

		private final Random random;

		private final List<String> messages = new ArrayList<>();

		private final List<MemoryMutex> models = KEYS.stream()
			.map((key) -> new MemoryMutex(key, TIMEOUT, RETENTION, this.messages))
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
			scripts.loseData();
			this.models.forEach(MemoryMutex::forget);
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
			}
		}

		/**
		 * Makes a call to Redis and to the models.
		 */
		private void run(Call call) {
			scripts.takeStepsOnly(this.random.nextInt(3) == 0);
			this.log.add(this.micros + " " + call);
			List<String> expected = new ArrayList<>();
			List<MutexState> states = new ArrayList<>();
			for (Ask ask : call.asks()) {
				MemoryMutex model = this.models.get(ask.lock());
				states.add(model.state());
				expected.add(ask.model().apply(model));
				states.add(model.state());
			}

			List<String> answers = scripts.answers(call,
					call.asks().stream().map((ask) -> KEYS.get(ask.lock())).toList());

			this.log.add("    " + answers);
			assertThat(answers).map(Run::inWordsOfThePort).isEqualTo(expected);
			for (int i = 0; i < answers.size(); i++) {
				Ask ask = call.asks().get(i);
				this.rules.get(ask.lock())
					.check(states.get(2 * i), ask.text(), answers.get(i), states.get(2 * i + 1), this.micros / 1000);
			}
			assertStored();
			this.calls.answered(call, answers);
		}

		/**
		 * The port does not tell what a request gave up.
		 */
		private static String inWordsOfThePort(String answer) {
			return answer.replaceFirst("^(\\S+) (RELEASED|LEFT)", "$1 " + MemoryMutex.HAD);
		}

		private void repeat(Call call) {
			Ask ask = call.asks().get(0);
			MemoryMutex model = this.models.get(ask.lock());
			MutexState before = model.state();
			if (call.kind() == Kind.EVICT && ask.id().isEmpty()) {
				return;
			}
			run(call);
			assertThat(model.state().waiters()).as("after the repeat").isEqualTo(before.waiters());
			assertThat(model.state().token()).as("after the repeat").isEqualTo(before.token());
		}

		private void assertStored() {
			for (int i = 0; i < KEYS.size(); i++) {
				MutexState stored = scripts.state(KEYS.get(i));
				assertThat(stored).as(KEYS.get(i)).isEqualTo(this.models.get(i).state());
				this.used[i] = (stored.usedUntil() > 0) ? stored.usedUntil()
						: Math.min(this.used[i], this.micros / 1000);
				assertTimeToLive(KEYS.get(i), stored, this.used[i] - this.micros / 1000);
			}
			List<String> sent = scripts.takeMessages();
			for (String key : KEYS) {
				assertThat(ofLock(key, sent)).isEqualTo(ofLock(key, this.messages));
			}
			this.messages.clear();
		}

		private static List<String> ofLock(String key, List<String> messages) {
			return messages.stream().filter((message) -> message.endsWith(" " + key)).toList();
		}

		/**
		 * That a key lives for the retention after its use, and at most about twice that.
		 */
		private void assertTimeToLive(String key, MutexState stored, long used) {
			long left = scripts.millisLeft(key);
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
			List<String> expected = new ArrayList<>(List.of("" + this.micros / 1000));
			for (int i = 0; i < KEYS.size(); i++) {
				expected.addAll(this.models.get(i).described("one@a/1"));
				List<String> waiters = scripts.run(LockScript.WAITERS, List.of(KEYS.get(i)), "1000");
				assertThat(waiters.subList(1, waiters.size())).isEqualTo(this.models.get(i).waiters());
			}
			assertThat(scripts.run(LockScript.DESCRIBE, KEYS, "1", "one@a/1")).isEqualTo(expected);
		}

	}

}
