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

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.holdfast.lock.testing.FailingThreadStarts;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What observers are told later comes in order, or not at all. */
class TaskQueueNoticeTests {

	private final CountDownLatch released = new CountDownLatch(1);

	private final Queue<Integer> told = new ConcurrentLinkedQueue<>();

	private final TaskQueue notices = new TaskQueue("notices", 1, 0);

	@AfterEach
	void close() {
		this.released.countDown();
		this.notices.close();
	}

	@Test
	void orderIsKeptAndWhatDoesNotFitIsRefused() {
		block();
		assertThat(tell(1, TaskQueue.MOST_NOTICES + 1_000)).isEqualTo(TaskQueue.MOST_NOTICES - 1);
		assertThat(this.notices.unfinished() == 0).isFalse();

		this.released.countDown();

		awaitDone();
		assertThat(this.told).containsExactlyElementsOf(IntStream.range(1, TaskQueue.MOST_NOTICES).boxed().toList());
	}

	@Test
	void threadThatIsIdleEndsAndANoticeBringsAnother() {
		TaskQueue seldom = new TaskQueue("seldom", 1, 1);
		Queue<Thread> tellers = new ConcurrentLinkedQueue<>();
		for (int i = 1; i <= 2; i++) {
			int count = i;
			seldom.tell(false, () -> tellers.add(Thread.currentThread()));
			Awaitility.await()
				.atMost(TestThreads.LONG)
				.until(() -> tellers.size() == count && tellers.stream().noneMatch(Thread::isAlive));
		}
		assertThat(tellers).doesNotHaveDuplicates();
	}

	@Test
	void noticeThatGetsNoThreadFailsAndTheNextIsTold() {
		FailingThreadStarts starts = new FailingThreadStarts();
		try {
			starts.after(0, 1);
			assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> tell(1, 2));
			assertThat(starts.haveFailed()).isTrue();

			tell(2, 3);

			awaitDone();
			assertThat(this.told).containsExactly(2);
		}
		finally {
			starts.remove();
		}
	}

	@Test
	void minorNoticesLeaveHalfOfTheRoomToOthers() {
		block();

		long minor = IntStream.range(0, TaskQueue.MOST_NOTICES)
			.filter((number) -> this.notices.tell(true, () -> this.told.add(number)))
			.count();

		assertThat(minor).isEqualTo(TaskQueue.MOST_NOTICES / 2 - 1);
		assertThat(tell(0, TaskQueue.MOST_NOTICES)).isEqualTo(TaskQueue.MOST_NOTICES / 2);
	}

	/**
	 * A lock of the queue would be left held, once in a while, or a notice without a
	 * thread.
	 */
	@ParameterizedTest
	@ValueSource(longs = { 0, 1 })
	void threadWhoseStackIsUsedUpKeepsNobodyFromBeingTold(long idleMillis) throws InterruptedException {
		TaskQueue used = new TaskQueue("used", 1, idleMillis);
		for (int i = 0; i < 400; i++) {
			Thread deep = new Thread(null, () -> tellForEver(used), "deep", (150L + i % 50) * 1024);
			deep.setUncaughtExceptionHandler((thread, thrown) -> {
			});
			deep.start();
			deep.join();
		}

		Awaitility.await().atMost(TestThreads.LONG).until(() -> used.unfinished() == 0);
		assertThat(used.tell(false, () -> this.told.add(1))).isTrue();
		Awaitility.await().atMost(TestThreads.LONG).until(() -> this.told.contains(1) && used.unfinished() == 0);
		used.close();
	}

	@SuppressWarnings("InfiniteRecursion")
	private static void tellForEver(TaskQueue notices) {
		notices.tell(false, () -> {
		});
		tellForEver(notices);
	}

	@Test
	void whatComesAfterTheEndIsForgotten() {
		this.notices.close();

		assertThat(tell(1, TaskQueue.MOST_NOTICES * 2)).isEqualTo(TaskQueue.MOST_NOTICES * 2 - 1);
		assertThat(this.notices.unfinished() == 0).isTrue();
		assertThat(this.told).isEmpty();
	}

	/** Returns when the thread has begun to wait. */
	private void block() {
		CountDownLatch begun = new CountDownLatch(1);
		this.notices.tell(false, () -> {
			begun.countDown();
			TestThreads.await(this.released);
		});
		TestThreads.await(begun);
	}

	/** How many found room. */
	private long tell(int from, int to) {
		return IntStream.range(from, to)
			.filter((number) -> this.notices.tell(false, () -> this.told.add(number)))
			.count();
	}

	private void awaitDone() {
		Awaitility.await().atMost(TestThreads.LONG).until(() -> this.notices.unfinished() == 0);
	}

}
