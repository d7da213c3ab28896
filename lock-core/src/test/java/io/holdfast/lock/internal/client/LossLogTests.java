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

package io.holdfast.lock.internal.client;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockType;
import io.holdfast.lock.testing.LogCapture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** That a log that hangs holds up nobody, and says what it has missed. */
class LossLogTests {

	private final LossLog losses = new LossLog();

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.holdfast.lock.losses");

	private final StuckAppender stuck = new StuckAppender();

	@AfterEach
	void close() {
		this.stuck.end.countDown();
		this.logger.detachAppender(this.stuck);
		this.losses.close();
	}

	@Test
	void lossesThatFindNoRoomAreCounted() throws Exception {
		this.stuck.start();
		this.logger.addAppender(this.stuck);
		try (LogCapture log = LogCapture.open()) {
			lose();
			this.stuck.begun.await();
			for (int i = 0; i < NoticeQueue.MOST + 500; i++) {
				lose();
			}
			this.stuck.end.countDown();

			Awaitility.await().until(this.losses::isDone);
			assertThat(log.messages(Level.WARN))
				.contains("500 lost lock(s) are not in the log, which was too slow for them. Listeners have them");
		}
	}

	private void lose() {
		this.losses.lost(new LockLoss("a", LockType.FAIR, 1, Instant.EPOCH, Cause.GONE, Duration.ZERO));
	}

	private static final class StuckAppender extends AppenderBase<ILoggingEvent> {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch end = new CountDownLatch(1);

		@Override
		protected void append(ILoggingEvent event) {
			this.begun.countDown();
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
