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

import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.holdfast.lock.testing.LogCapture;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

class ErrorLogTests {

	@Test
	void errorOfTheLoggingReachesNobody() {
		Logger logger = (Logger) LoggerFactory.getLogger(ErrorLogTests.class);
		FullHeap fullHeap = new FullHeap();
		fullHeap.start();
		logger.setLevel(Level.WARN);
		logger.addAppender(fullHeap);
		try {
			assertThat(new ErrorLog(ErrorLogTests.class).warn("Renewals failed", new OutOfMemoryError("the first")))
				.isTrue();
			assertThat(fullHeap.asked).isTrue();
		}
		finally {
			logger.detachAppender(fullHeap);
			logger.setLevel(null);
		}
	}

	@Test
	void oneInAMinuteOfEachKindIsLoggedAndTheNextSaysHowManyThereWere() {
		AtomicLong clock = new AtomicLong();
		ErrorLog errors = new ErrorLog(ErrorLogTests.class, clock::get);
		try (LogCapture log = LogCapture.open()) {
			for (int i = 0; i < 5; i++) {
				errors.warn("Renewals failed", new OutOfMemoryError("thrown on purpose"));
			}
			errors.warn("Renewals failed", new NoClassDefFoundError("thrown on purpose"));
			assertThat(log.messages(Level.WARN)).hasSize(2).noneMatch((message) -> message.contains("more such"));
			clock.addAndGet(WarningLimit.PERIOD_NANOS);

			errors.warn("Renewals failed", new OutOfMemoryError("thrown on purpose"));

			assertThat(log.messages(Level.WARN)).hasSize(3)
				.last()
				.asString()
				.endsWith("(and 4 more such errors before, which were not logged)");
		}
	}

	private static final class FullHeap extends AppenderBase<ILoggingEvent> {

		private boolean asked;

		@Override
		protected void append(ILoggingEvent event) {
			this.asked = true;
			throw new InternalError("the second");
		}

	}

}
