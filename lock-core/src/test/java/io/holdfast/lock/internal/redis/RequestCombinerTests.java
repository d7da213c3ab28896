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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.FaultProxy.Fault;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

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

	private static final String PREFIX = "requests:";

	private static final RedisProcess SERVER = RedisProcess.start();

	/** Far more than there are calls at a time. */
	private static final int THREADS = 32;

	@Parameter
	RedisDriver driver;

	private final FaultProxy proxy = new FaultProxy(SERVER);

	private final TestThreads threads = new TestThreads();

	private final StringRedisTemplate admin = new StringRedisTemplate(RedisDriver.JEDIS.connect(SERVER));

	private PortClient client;

	@BeforeEach
	void open() {
		this.client = new PortClient(this.driver.connect(this.proxy.host(), this.proxy.port(), PortClient.PATIENCE),
				PREFIX);
		assertThat(acquire("warm-up", "3:0")).isEqualTo(Word.HOLDS);
	}

	@AfterEach
	void close() {
		try {
			this.threads.close();
		}
		finally {
			this.client.close();
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

	private Word acquire(String name, String id) {
		return send(this.client.question(name, id, PortClient.WRITE, 1));
	}

	private void acquireAndRelease(int thread, int round) {
		String id = "3:" + thread + "-" + round;
		assertThat(acquire("own-" + thread, id)).isEqualTo(Word.HOLDS);
		assertThat(release("own-" + thread, id)).isEqualTo(Word.RELEASED);
	}

	private Word release(String name, String id) {
		return send(this.client.release(name, id));
	}

	private Word send(Command command) {
		return wordOf(this.client.server.send(command));
	}

	private static Word wordOf(CompletableFuture<Reply> outcome) {
		assertThat(outcome).isDone();
		try {
			return outcome.join().word();
		}
		catch (CompletionException ex) {
			throw (LockServerException) ex.getCause();
		}
	}

	@Test
	void eachThreadGetsItsOwnAnswerAndManyShareOneCall() {
		int rounds = 200;
		long before = scripts();

		together((thread) -> {
			for (int round = 0; round < rounds; round++) {
				acquireAndRelease(thread, round);
			}
		});

		assertThat(scripts() - before).isLessThan(2L * THREADS * rounds);
	}

	@Test
	void refusalOfOneHarmsNoOther() {
		this.admin.opsForValue().set(PREFIX + "lock:broken", "text");

		together((thread) -> {
			for (int round = 0; round < 50; round++) {
				String id = "3:" + thread + "-" + round;
				if (thread % 4 == 0) {
					assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> acquire("broken", id))
						.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.REFUSED))
						.withMessageContaining("Lock 'broken'");
				}
				else {
					acquireAndRelease(thread, round);
				}
			}
		});
	}

	@Test
	void requestMayHaveBeenCarriedOutInARefusedCallThoughItCannotBeSentAgain() {
		RequestCombiner requests = new RequestCombiner((together) -> {
			throw RedisErrors.classify("a", new IllegalStateException(
					(together.size() > 1) ? "DAMAGED data" : "ERR max number of clients reached"));
		}, Duration.ofSeconds(10).toNanos(), RequestCombiner.MAX_CALLS);

		Pending request = request("a");
		queue(requests, request("b"));

		requests.send(request);

		assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> wordOf(request))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.TIMED_OUT));
	}

	@Test
	void callThatHangsHoldsUpThoseInItNoLongerThanTheirOwnLimit() throws Exception {
		CountDownLatch queued = new CountDownLatch(1);
		CountDownLatch hangs = new CountDownLatch(1);
		List<Integer> calls = new CopyOnWriteArrayList<>();
		RequestCombiner requests = new RequestCombiner((together) -> {
			calls.add(together.size());
			queued.countDown();
			TestThreads.await(hangs);
			return together.stream().map((each) -> held()).toList();
		}, Duration.ofMillis(300).toNanos(), 1);
		Pending first = request("a");
		Pending second = request("b");
		queue(requests, second);
		TestThreads.Running<Void> sends = this.threads.run(() -> requests.send(first));
		TestThreads.await(queued);

		requests.send(second);

		assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> wordOf(second))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.TIMED_OUT));
		assertThat(sends.isDone()).isFalse();
		hangs.countDown();
		sends.result();
		assertThat(wordOf(first)).isEqualTo(Word.HOLDS);
		assertThat(calls).containsExactly(2);
	}

	private static Reply held() {
		return new Reply(Word.HOLDS, 0, 0, 0, false, 0, null);
	}

	private static Pending request(String name) {
		return new Pending(new Command.Downgrade(PREFIX + "lock:" + name, name), new LockKeys(PREFIX));
	}

	/**
	 * Has a request wait for a call of whoever comes next.
	 */
	@SuppressWarnings("unchecked")
	private static void queue(RequestCombiner requests, Pending request) {
		((Queue<Object>) ReflectionTestUtils.getField(requests, "queue")).add(request);
	}

	@Test
	void lostReplyFailsOnlyThoseWhoShareTheCallAndEachIsTold() {
		List<LockServerException> failures = new ArrayList<>();
		// Jedis sends a call once more, so a call has to lose two.
		int losses = (this.driver == RedisDriver.JEDIS) ? 12 : 1;

		together((thread) -> {
			for (int round = 0; round < 50; round++) {
				String id = "3:" + thread + "-" + round;
				if (thread == 0 && round % 10 == 0) {
					for (int i = 0; i < losses; i++) {
						this.proxy.loseReplyTo("lock:own-");
					}
				}
				try {
					assertThat(acquire("own-" + thread, id)).isEqualTo(Word.HOLDS);
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
				release(name, id);
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
		List<TestThreads.Running<Word>> hanging = new ArrayList<>();
		List<Fault> faults = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			String name = "hangs-" + i;
			faults.add(this.proxy.holdReplyTo("lock:" + name));
			hanging.add(this.threads.start(() -> acquire(name, "3:" + name)));
			// Two that come at once may share a call.
			faults.get(i).awaitCaught();
		}

		assertThat(acquire("free", "3:f")).isEqualTo(Word.HOLDS);

		assertThat(hanging).noneMatch(TestThreads.Running::isDone);
		faults.forEach(Fault::release);
		for (TestThreads.Running<Word> each : hanging) {
			assertThat(each.result()).isEqualTo(Word.HOLDS);
		}
	}

	@Test
	void interruptedRequestIsAnsweredAndTheStatusRestored() {
		together((thread) -> {
			for (int round = 0; round < 50; round++) {
				String id = "3:" + thread + "-" + round;
				Thread.currentThread().interrupt();
				assertThat(acquire("own-" + thread, id)).isEqualTo(Word.HOLDS);
				assertThat(Thread.interrupted()).isTrue();
				assertThat(release("own-" + thread, id)).isEqualTo(Word.RELEASED);
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

}
