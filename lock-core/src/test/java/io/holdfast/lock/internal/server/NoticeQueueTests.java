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

package io.holdfast.lock.internal.server;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What observers are told later comes in order, or not at all. */
class NoticeQueueTests {

	private static final int MOST = 1_000;

	private final CountDownLatch released = new CountDownLatch(1);

	private final Queue<Integer> told = new ConcurrentLinkedQueue<>();

	private final NoticeQueue notices = new NoticeQueue("notices", MOST);

	@BeforeEach
	void start() {
		this.notices.start();
	}

	@AfterEach
	void close() {
		this.released.countDown();
		this.notices.close();
	}

	@Test
	void orderIsKeptAndWhatDoesNotFitIsCounted() {
		block();
		tell(0, MOST + 999);
		assertThat(this.notices.takeDropped()).isEqualTo(1000);
		assertThat(this.notices.takeDropped()).isZero();
		assertThat(this.notices.isDone()).isFalse();

		this.released.countDown();

		awaitDone();
		assertThat(this.told).containsExactlyElementsOf(IntStream.range(0, MOST - 1).boxed().toList());
	}

	@Test
	void minorNoticesLeaveRoomForOthers() {
		block();
		for (int i = 0; i < MOST; i++) {
			this.notices.addMinor(() -> {
			});
		}
		assertThat(this.notices.takeDropped()).isEqualTo(MOST / 2 + 1);

		tell(1, 2);

		assertThat(this.notices.takeDropped()).isZero();
		this.released.countDown();
		awaitDone();
		assertThat(this.told).containsExactly(1);
	}

	@Test
	void whatIsThereIsToldAfterTheEnd() {
		block();
		tell(1, 3);

		this.notices.close();
		this.released.countDown();

		awaitDone();
		assertThat(this.told).containsExactlyElementsOf(List.of(1, 2));
	}

	/** Returns when the thread has begun to wait. */
	private void block() {
		CountDownLatch begun = new CountDownLatch(1);
		this.notices.add(() -> {
			begun.countDown();
			await(this.released);
		});
		await(begun);
	}

	private void tell(int from, int to) {
		IntStream.range(from, to).forEach((number) -> this.notices.add(() -> this.told.add(number)));
	}

	private void awaitDone() {
		Awaitility.await().atMost(TestThreads.LONG).until(this.notices::isDone);
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

}
