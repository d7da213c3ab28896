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

import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.testing.LogCapture;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That many warnings of a kind are few lines, and none of them is forgotten.
 */
class LimitedLogTests {

	private final AtomicLong clock = new AtomicLong();

	private boolean full;

	private final LimitedLog limited = new LimitedLog(LogFactory.getLog(LimitedLogTests.class), this::write,
			this.clock::get);

	@Test
	void nextWarningSaysHowManyThereWereBefore() {
		try (LogCapture log = LogCapture.of(LimitedLogTests.class)) {
			warn(25);
			this.clock.addAndGet(LimitedLog.PERIOD_NANOS);

			warn(2);

			assertThat(log.messages(Level.WARN)).hasSize(12)
				.element(10)
				.isEqualTo("Look at this (and 15 more such messages before, not shown at this level)");
			assertThat(log.messages(Level.WARN)).last().isEqualTo("Look at this");
		}
	}

	@Test
	void nextWarningSaysHowManyFoundNoRoom() {
		try (LogCapture log = LogCapture.of(LimitedLogTests.class)) {
			this.full = true;
			warn(3);
			this.full = false;

			warn(2);

			assertThat(log.messages(Level.WARN)).containsExactly(
					"Look at this (and 3 more such messages before, not shown at this level)", "Look at this");
		}
	}

	@Test
	void noNameLooksLikeALineOfItsOwn() {
		try (LogCapture log = LogCapture.of(LimitedLogTests.class)) {
			this.limited.warn("Lock 'a\r\nERROR b\u2028c' was lost");

			assertThat(log.messages(Level.WARN)).containsExactly("Lock 'a\\u000d\\u000aERROR b\\u2028c' was lost");
		}
	}

	@Test
	void errorWhereFailuresOfAServerAreExpectedIsWarnedOf() {
		try (LogCapture log = LogCapture.of(LimitedLogTests.class)) {
			assertThat(this.limited.warnOfError("Renewals failed", new IllegalStateException("no answer"))).isFalse();
			assertThat(log.messages(Level.INFO)).isEmpty();

			assertThat(this.limited.warnOfError("Renewals failed",
					new IllegalStateException(new NoSuchMethodError("other version"))))
				.isTrue();

			assertThat(log.messages(Level.WARN)).hasSize(1);
			assertThat(log.stacks(Level.WARN)).hasSize(1).first().asString().contains("other version");
		}
	}

	private boolean write(boolean minor, Runnable line) {
		if (!this.full) {
			line.run();
		}
		return !this.full;
	}

	private void warn(int count) {
		for (int i = 0; i < count; i++) {
			this.limited.warn("Look at this");
		}
	}

}
