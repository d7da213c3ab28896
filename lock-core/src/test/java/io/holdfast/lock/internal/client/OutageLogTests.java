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

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.testing.LogCapture;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is logged of outages.
 */
class OutageLogTests {

	private final LockServerException failure = new LockServerException("a", Reason.TIMED_OUT, "no answer", null);

	private final OutageLog outages = new OutageLog();

	@Test
	void outageHasALineWhereItBeginsAndOneWhereItEnds() {
		try (LogCapture log = LogCapture.open()) {
			this.outages.failed("node", 2, this.failure);
			this.outages.failed("node", 3, this.failure);
			this.outages.passed("other");
			this.outages.passed("node");
			this.outages.passed("node");

			assertThat(log.messages(Level.INFO)).hasSize(2)
				.satisfiesExactly((begun) -> assertThat(begun).startsWith("Renewal of 2 lock(s) failed"),
						(over) -> assertThat(over)
							.isEqualTo("Locks are renewed again, after 5 renewal(s) that failed"));
		}
	}

	@Test
	void serverThatComesAndGoesAllTheTimeFillsNoLog() {
		try (LogCapture log = LogCapture.open()) {
			for (int i = 0; i < 1000; i++) {
				this.outages.failed("node", 1, this.failure);
				this.outages.passed("node");
			}

			assertThat(log.messages(Level.INFO)).hasSize(10);
		}
	}

}
