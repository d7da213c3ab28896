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

package io.holdfast.lock.interceptor.internal.log;

import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.fixture.LogCapture;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That many warnings of a kind are few lines, and none of them is forgotten.
 */
class LimitedLogTests {

	private final AtomicLong clock = new AtomicLong();

	private final LimitedLog limited = new LimitedLog(LogFactory.getLog(LimitedLogTests.class), this.clock::get);

	private final LogCapture log = LogCapture.of(LimitedLogTests.class.getName(), Level.DEBUG);

	@AfterEach
	void close() {
		this.log.close();
	}

	@Test
	void tenInAMinuteAreWarningsAndTheOthersAreNot() {
		warn(25);

		assertThat(this.log.lines()).hasSize(25)
			.startsWith("WARN Look at this")
			.filteredOn("WARN Look at this"::equals)
			.hasSize(10);
		assertThat(this.log.lines()).filteredOn("DEBUG Look at this"::equals).hasSize(15);
	}

	@Test
	void firstOneOfALaterMinuteSaysHowManyThereWereBefore() {
		warn(25);
		this.clock.addAndGet(LimitedLog.PERIOD_NANOS);

		this.limited.error("Look at that");
		warn(1);

		assertThat(this.log.lines()).endsWith(
				"ERROR Look at that (and 15 more such warnings before, which were logged at the level debug)",
				"WARN Look at this");
	}

	@Test
	void noNameLooksLikeALineOfItsOwn() {
		this.limited.warn("Lock 'a\r\nERROR b\u2028c' was lost");
		this.limited.error("Lock 'a\nb'");

		assertThat(this.log.lines()).containsExactly("WARN Lock 'a\\u000d\\u000aERROR b\\u2028c' was lost",
				"ERROR Lock 'a\\u000ab'");
	}

	private void warn(int count) {
		for (int i = 0; i < count; i++) {
			this.limited.warn("Look at this");
		}
	}

}
