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

import java.util.concurrent.CountDownLatch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.holdfast.lock.testing.LogCapture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** What is logged while clients are at work. */
class LogQueueTests {

	@Test
	void linesThatFindNoRoomAreCounted() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		LogQueue.open();
		try (LogCapture log = LogCapture.open()) {
			occupyUntil(end);
			for (int i = 0; i < LogQueue.MOST + 499; i++) {
				LogQueue.add(() -> {
				});
			}
			end.countDown();

			Awaitility.await().until(LogQueue::isDone);
			assertThat(log.messages(Level.WARN))
				.containsExactly("500 messages of Holdfast are not in the log, which was too slow for them");
		}
		finally {
			end.countDown();
			LogQueue.close();
		}
	}

	@Test
	void detailsLeaveRoomForWarnings() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		LimitedLog line = new LimitedLog("io.holdfast.details");
		Logger logger = (Logger) LoggerFactory.getLogger("io.holdfast.details");
		logger.setLevel(Level.DEBUG);
		LogQueue.open();
		try (LogCapture log = LogCapture.open()) {
			occupyUntil(end);
			for (int i = 0; i < LogQueue.MOST; i++) {
				line.debug("a detail", null);
			}
			line.warn("a warning");
			end.countDown();

			Awaitility.await().until(LogQueue::isDone);
			assertThat(log.messages(Level.WARN)).contains("a warning");
		}
		finally {
			logger.setLevel(null);
			end.countDown();
			LogQueue.close();
		}
	}

	@Test
	void lastClientEndsTheThreadAndWhatIsToldThenIsLoggedByItsTeller() {
		LogQueue.open();
		LogQueue.open();
		LogQueue.close();
		Thread[] first = new Thread[1];
		LogQueue.add(() -> first[0] = Thread.currentThread());
		Awaitility.await().until(LogQueue::isDone);
		assertThat(first[0]).isNotNull().isNotEqualTo(Thread.currentThread());

		LogQueue.close();

		Awaitility.await().until(() -> !first[0].isAlive());
		Thread[] second = new Thread[1];
		LogQueue.add(() -> second[0] = Thread.currentThread());
		assertThat(second[0]).isEqualTo(Thread.currentThread());
	}

	private static void occupyUntil(CountDownLatch end) throws InterruptedException {
		CountDownLatch begun = new CountDownLatch(1);
		LogQueue.add(() -> {
			begun.countDown();
			await(end);
		});
		begun.await();
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
