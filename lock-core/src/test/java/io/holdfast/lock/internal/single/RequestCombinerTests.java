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
import java.util.Queue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.FaultProxy.Fault;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Requests of many threads, together and in each other's way.
 */
@ParameterizedClass
@EnumSource
class RequestCombinerTests {

	private static final String GRANTED = " (HELD|HOLDS) ";

	private static final String PREFIX = "requests:";

	private static final RedisProcess SERVER = RedisProcess.start();

	/** Far more than there are calls at a time. */
	private static final int THREADS = 32;

	@Parameter
	RedisDriver driver;

	private final FaultProxy proxy = new FaultProxy(SERVER);

	private final TestThreads threads = new TestThreads();

	private final StringRedisTemplate admin = new StringRedisTemplate(RedisDriver.JEDIS.connect(SERVER));

	private RedisConnectionFactory connections;

	private RequestCombiner requests;

	@BeforeEach
	void open() {
		LockKeys keys = new LockKeys(PREFIX);
		this.connections = this.driver.connect(this.proxy.host(), this.proxy.port(), Duration.ofSeconds(1));
		this.requests = new RequestCombiner(
				new ScriptRunner(io.holdfast.lock.internal.driver.RedisDriver.of(this.connections).requests(), keys),
				keys, List.of("one", "10000", "300000", keys.channelPrefix()));
		send("warm-up", "release 2:0 0");
	}

	@AfterEach
	void close() {
		try {
			this.threads.close();
		}
		finally {
			RedisDriver.disconnect(this.connections);
			this.proxy.close();
			this.admin.execute((connection) -> {
				connection.serverCommands().flushAll();
				return null;
			}, true);
		}
	}

	@AfterAll
	static void stop() {
		SERVER.close();
	}

	private String send(String name, String text) {
		return this.requests.send(new CombinedRequest<>(PREFIX + "lock:" + name, text, Function.identity()));
	}

	private String acquire(String name, String id) {
		return send(name, "acquire " + id + " xr 60000 1 0 99999999999999");
	}

	@Test
	void eachThreadGetsItsOwnAnswerAndManyShareOneCall() {
		int rounds = 200;
		long before = scripts();

		together((thread) -> {
			for (int round = 0; round < rounds; round++) {
				String id = "2:" + thread + "-" + round;
				assertThat(acquire("own-" + thread, id)).startsWith(id + " ").containsPattern(GRANTED);
				assertThat(send("own-" + thread, "release " + id + " 0")).isEqualTo(id + " RELEASED");
			}
		});

		assertThat(scripts() - before).isLessThan(2L * THREADS * rounds);
	}

	@Test
	void oneThreadSendsEachRequestAtOnce() {
		long before = scripts();

		acquire("alone", "2:a");
		send("alone", "release 2:a 0");

		assertThat(scripts() - before).isEqualTo(2);
	}

	@Test
	void refusalOfOneHarmsNoOther() {
		this.admin.opsForValue().set(PREFIX + "lock:broken", "text");

		together((thread) -> {
			for (int round = 0; round < 50; round++) {
				String id = "2:" + thread + "-" + round;
				if (thread % 4 == 0) {
					assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> acquire("broken", id))
						.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.REFUSED))
						.withMessageContaining("Lock 'broken'");
				}
				else {
					assertThat(acquire("own-" + thread, id)).containsPattern(GRANTED);
					assertThat(send("own-" + thread, "release " + id + " 0")).endsWith("RELEASED");
				}
			}
		});
	}

	@Test
	void refusalOfOneHarmsNoOtherAlthoughTheirCallWasSentTwice() {
		LockServerException refused = RedisErrors.failure("a", Reason.REFUSED, "on purpose", null);
		AtomicReference<@Nullable LockServerException> alone = new AtomicReference<>();
		RequestCombiner twice = new RequestCombiner(new Answering((call) -> {
			if (call.keys().size() > 1) {
				throw RedisErrors.ofRepeated(refused);
			}
			if (alone.get() != null) {
				throw alone.get();
			}
			return "answer";
		}), new LockKeys(PREFIX), List.of());

		assertThat(sendTogether(twice)).isEqualTo("answer");
		alone.set(refused);
		assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> sendTogether(twice))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.TIMED_OUT));
	}

	@Test
	void requestMayHaveBeenCarriedOutIfAnotherWasRefusedAndItIsForAReasonOfItsOwn() {
		AtomicReference<String> alone = new AtomicReference<>("DAMAGED data");
		RequestCombiner refused = new RequestCombiner(new Answering((call) -> {
			String said = (call.keys().size() > 1) ? "DAMAGED data" : alone.get();
			throw RedisErrors.classify("b", new IllegalStateException(said));
		}), new LockKeys(PREFIX), List.of());

		assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> sendTogether(refused))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.REFUSED));
		alone.set("ERR max number of clients reached");
		assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> sendTogether(refused))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.TIMED_OUT));
	}

	@SuppressWarnings("unchecked")
	private static String sendTogether(RequestCombiner requests) {
		Queue<Object> queue = (Queue<Object>) ReflectionTestUtils.getField(requests, "queue");
		queue.add(new CombinedRequest<>(PREFIX + "lock:a", "a", Function.identity()));
		return requests.send(new CombinedRequest<>(PREFIX + "lock:b", "b", Function.identity()));
	}

	@Test
	void lostReplyFailsOnlyThoseWhoShareTheCallAndEachIsTold() {
		List<LockServerException> failures = new ArrayList<>();
		// Jedis sends a call once more, so a call has to lose two.
		int losses = (this.driver == RedisDriver.JEDIS) ? 12 : 1;

		together((thread) -> {
			for (int round = 0; round < 50; round++) {
				String id = "2:" + thread + "-" + round;
				if (thread == 0 && round % 10 == 0) {
					for (int i = 0; i < losses; i++) {
						this.proxy.loseReplyTo("acquire ");
					}
				}
				try {
					assertThat(acquire("own-" + thread, id)).startsWith(id + " ").containsPattern(GRANTED);
				}
				catch (LockServerException ex) {
					assertThat(ex.lockName()).isEqualTo("own-" + thread);
					assertThat(ex.reason()).isIn(Reason.TIMED_OUT, Reason.UNREACHABLE);
					synchronized (failures) {
						failures.add(ex);
					}
				}
				releasePatiently("own-" + thread, id);
			}
		});

		if (this.driver == RedisDriver.JEDIS) {
			// Lettuce sends such a call again by itself.
			assertThat(failures).isNotEmpty();
		}
	}

	private void releasePatiently(String name, String id) {
		while (true) {
			try {
				send(name, "release " + id + " 0");
				return;
			}
			catch (LockServerException ex) {
				assertThat(ex.reason()).isNotEqualTo(Reason.REFUSED);
			}
		}
	}

	@Test
	void callsThatHangDoNotHoldUpTheOthers() throws Exception {
		if (this.driver == RedisDriver.LETTUCE) {
			// All share one connection there.
			return;
		}
		List<TestThreads.Running<String>> hanging = new ArrayList<>();
		List<Fault> faults = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			String name = "hangs-" + i;
			faults.add(this.proxy.holdReplyTo("lock:" + name));
			hanging.add(this.threads.start(() -> acquire(name, name)));
		}
		for (Fault fault : faults) {
			fault.awaitCaught();
		}

		assertThat(acquire("free", "2:f")).containsPattern(GRANTED);

		assertThat(hanging).noneMatch(TestThreads.Running::isDone);
		faults.forEach(Fault::release);
		for (TestThreads.Running<String> each : hanging) {
			assertThat(each.result()).containsPattern(GRANTED);
		}
	}

	@Test
	void interruptedRequestIsAnsweredAndTheStatusRestored() {
		together((thread) -> {
			for (int round = 0; round < 50; round++) {
				String id = "2:" + thread + "-" + round;
				Thread.currentThread().interrupt();
				assertThat(acquire("own-" + thread, id)).startsWith(id + " ").containsPattern(GRANTED);
				assertThat(Thread.interrupted()).isTrue();
				assertThat(send("own-" + thread, "release " + id + " 0")).endsWith("RELEASED");
			}
		});
	}

	private void together(Work work) {
		CyclicBarrier start = new CyclicBarrier(THREADS);
		List<TestThreads.Running<Void>> running = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			int thread = i;
			running.add(this.threads.run(() -> {
				start.await();
				work.run(thread);
			}));
		}
		running.forEach(TestThreads.Running::result);
	}

	private long scripts() {
		String calls = this.admin.execute((connection) -> connection.serverCommands().info("commandstats"), true)
			.getProperty("cmdstat_evalsha", "calls=0,");
		return Long.parseLong(calls.replaceAll("calls=(\\d+),.*", "$1"));
	}

	private interface Work {

		void run(int thread) throws Exception;

	}

	/**
	 * Answers calls for one lock and refuses others.
	 */
	private record Answering(Function<ScriptRunner.Call<?, ?>, String> answer) implements RequestCombiner.Scripts {

		@Override
		public boolean takesManyKeys(String lockKey) {
			return true;
		}

		@Override
		@SuppressWarnings("unchecked")
		public <T> T run(ScriptRunner.Call<?, T> call) {
			return ((Function<Object, T>) call.reader()).apply(List.of(this.answer.apply(call)));
		}

	}

}
