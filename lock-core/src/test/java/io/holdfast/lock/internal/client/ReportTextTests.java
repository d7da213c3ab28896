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

import io.holdfast.lock.LockClientHealth;
import io.holdfast.lock.LockClientHealth.Status;
import io.holdfast.lock.LockDirectory.ClientReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ReportTextTests {

	@Test
	void whatIsWrittenIsRead() {
		ClientReport well = new ClientReport(new LockClientHealth(Status.UP, 1, 0, null, null, null, null), 2,
				Duration.ZERO, 3, 4);
		ClientReport ill = new ClientReport(new LockClientHealth(Status.OUT_OF_SERVICE, 5, 6, Duration.ofMillis(7),
				Duration.ofMillis(8), Duration.ofMillis(9), "TIMED_OUT"), 10, Duration.ofMillis(11), 12,
				Long.MAX_VALUE);

		assertThat(ReportText.read(ReportText.write(well))).isEqualTo(well);
		assertThat(ReportText.read(ReportText.write(ill) + " and more")).isEqualTo(ill);
	}

	/** It may name what is secret, and is as long as Redis likes. */
	@Test
	void textOfAFailureStaysHere() {
		LockClientHealth failing = new LockClientHealth(Status.UP, 0, 0, null, null, Duration.ZERO,
				"UNREACHABLE: no route to secret host");

		String text = ReportText.write(new ClientReport(failing, 0, Duration.ZERO, 0, 0));

		assertThat(text).doesNotContain("secret");
		assertThat(ReportText.read(text).health().failure()).isEqualTo("UNREACHABLE");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "UP", "UP 1 2 3", "GREAT 0 0 0 0 0 0 - - - -", "UP -1 0 0 0 0 0 - - - -",
			"UP 0 0 0 x 0 0 - - - -", "UP 0 0 0 0 0 0 - - - SECRET", "UP 0 0 0 0 0 99999999999999999999 - - - -" })
	void whatNoClientWritesIsRefused(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> ReportText.read(text));
	}

	@Test
	void hugeTextIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> ReportText.read("UP 0 0 0 0 0 0 - - - -" + " x".repeat(1000)));
	}

}
