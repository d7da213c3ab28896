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

package io.holdfast.lock.internal.notice;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tasks that many give at once are all run, soon, and by no more threads than there may
 * be.
 */
class TaskQueueTests {

	private static final int GIVERS = 4;

	private static final int TASKS = 20_000;

	/** Threads that end all the time, and threads that stay. */
	@ParameterizedTest
	@CsvSource({ "1, 1", "3, 1", "1, 0", "3, 10000" })
	void eachTaskIsRunOnce(int threads, long idleMillis) throws Exception {
		TaskQueue queue = new TaskQueue("tasks", threads, idleMillis);
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		List<Queue<Integer>> done = new ArrayList<>();
		List<Thread> givers = new ArrayList<>();
		for (int giver = 0; giver < GIVERS; giver++) {
			Queue<Integer> own = new ConcurrentLinkedQueue<>();
			done.add(own);
			givers.add(new Thread(() -> {
				for (int i = 0; i < TASKS; i++) {
					int number = i;
					run(queue, () -> {
						most.accumulateAndGet(running.incrementAndGet(), Math::max);
						own.add(number);
						running.decrementAndGet();
					});
					if (i % 1000 == 999) {
						// Long enough for threads to end.
						LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
					}
				}
			}));
		}

		givers.forEach(Thread::start);
		for (Thread giver : givers) {
			giver.join();
		}

		Awaitility.await()
			.atMost(TestThreads.LONG)
			.until(() -> done.stream().mapToInt(Queue::size).sum() == GIVERS * TASKS);
		assertThat(most.get()).isBetween(1, threads);
		List<Integer> all = IntStream.range(0, TASKS).boxed().toList();
		for (Queue<Integer> own : done) {
			if (threads == 1) {
				assertThat(own).containsExactlyElementsOf(all);
			}
			else {
				assertThat(own).containsExactlyInAnyOrderElementsOf(all);
			}
		}
		queue.close();
	}

	private static void run(TaskQueue queue, Runnable task) {
		assertThat(queue.offer(task, Integer.MAX_VALUE)).isTrue();
	}

	/**
	 * Threads that are idle wait without end, so a wake-up that is missed is never made
	 * up for.
	 */
	@Test
	void noWakeUpIsMissed() {
		TaskQueue queue = new TaskQueue("tasks", 2, 0);
		for (int i = 0; i < 20_000; i++) {
			CountDownLatch done = new CountDownLatch(1);

			run(queue, done::countDown);

			TestThreads.await(done);
		}
		queue.close();
	}

	@Test
	void interruptEndsNoIdleThreadAndMakesNoneSpin() {
		TaskQueue queue = new TaskQueue("idle", 1, 0);
		AtomicReference<Thread> thread = new AtomicReference<>();
		run(queue, () -> thread.set(Thread.currentThread()));
		Awaitility.await().atMost(TestThreads.LONG).until(() -> isWaiting(thread.get()));

		thread.get().interrupt();

		Awaitility.await()
			.atMost(TestThreads.LONG)
			.until(() -> isWaiting(thread.get()) && !thread.get().isInterrupted());
		CountDownLatch done = new CountDownLatch(1);
		run(queue, done::countDown);
		TestThreads.await(done);
		queue.close();
	}

	private static boolean isWaiting(@Nullable Thread thread) {
		return thread != null && thread.getState() == Thread.State.WAITING;
	}

	@Test
	void whatWaitsIsRunAfterTheEndAndNothingElse() {
		TaskQueue queue = new TaskQueue("closed", 1, 0);
		CountDownLatch released = new CountDownLatch(1);
		CountDownLatch done = new CountDownLatch(1);
		run(queue, () -> TestThreads.await(released));
		run(queue, done::countDown);

		queue.close();
		assertThat(queue.offer(() -> {
		}, Integer.MAX_VALUE)).isFalse();
		released.countDown();

		TestThreads.await(done);
		Awaitility.await().atMost(TestThreads.LONG).until(() -> queue.unfinished() == 0);
	}

	@Test
	void taskThatLeavesAnInterruptOrThrowsEndsNoOther() {
		TaskQueue queue = new TaskQueue("tasks", 1, 0);
		CountDownLatch done = new CountDownLatch(1);

		run(queue, () -> Thread.currentThread().interrupt());
		run(queue, () -> {
			throw new AssertionError("thrown on purpose");
		});
		run(queue, () -> {
			if (!Thread.currentThread().isInterrupted()) {
				done.countDown();
			}
		});

		TestThreads.await(done);
		queue.close();
	}

}
