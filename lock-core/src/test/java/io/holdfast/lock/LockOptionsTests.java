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

package io.holdfast.lock;

import java.time.Duration;

import io.holdfast.lock.internal.text.DurationText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockOptionsTests {

	private final LockOptions options = LockOptions.defaults();

	@Test
	void defaultsLeaveTheTimesToTheClient() {
		assertThat(this.options.fair()).isFalse();
		assertThat(this.options.waitTime()).isNull();
		assertThat(this.options.leaseTime()).isNull();
	}

	@Test
	void changesAreCopies() {
		LockOptions changed = this.options.fair(true).waitTime(Duration.ZERO).leaseTime(LockOptions.WATCHDOG);

		assertThat(changed).isEqualTo(
				new LockOptions(LockMode.EXCLUSIVE, true, Duration.ZERO, Duration.ofMillis(-1), null, null, null));
		assertThat(this.options).isEqualTo(new LockOptions(LockMode.EXCLUSIVE, false, null, null, null, null, null));
	}

	@Test
	void waitTimesThatAreNotNegativeAreTaken() {
		for (Duration wait : new Duration[] { Duration.ZERO, Duration.ofNanos(1), LockOptions.FOREVER }) {
			assertThat(this.options.waitTime(wait).waitTime()).isEqualTo(wait);
		}
		assertThatIllegalArgumentException().isThrownBy(() -> this.options.waitTime(Duration.ofNanos(-1)));
	}

	@Test
	void leaseTimesWithinTheBoundsAreTaken() {
		for (Duration lease : new Duration[] { Duration.ofMillis(10), Duration.ofDays(366), Duration.ofMillis(-1) }) {
			assertThat(this.options.leaseTime(lease).leaseTime()).isEqualTo(lease);
		}
	}

	@Test
	void leaseTimesOutOfBoundsAreRefused() {
		for (Duration lease : new Duration[] { Duration.ZERO, Duration.ofNanos(1), Duration.ofNanos(999_999),
				Duration.ofMillis(9), Duration.ofMillis(10).minusNanos(1), Duration.ofNanos(-1), Duration.ofMillis(-2),
				Duration.ofSeconds(-1), Duration.ofDays(366).plusNanos(1), Duration.ofDays(367),
				Duration.ofMillis(Long.MAX_VALUE), Duration.ofSeconds(Long.MIN_VALUE) }) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.options.leaseTime(lease))
				.withMessageStartingWith("Lease time must be between 10ms and 366d, or watchdog (LockOptions.WATCHDOG)")
				.withMessageEndingWith(": " + DurationText.of(lease));
		}
	}

	@Test
	void timesThatAreNamedAreRefusedByTheirNames() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.options.maxHold(LockOptions.WATCHDOG))
			.withMessageEndingWith("without end: watchdog");
		assertThatIllegalArgumentException().isThrownBy(() -> this.options.leaseTime(LockOptions.FOREVER))
			.withMessageEndingWith("(LockOptions.WATCHDOG): forever");
	}

	@ParameterizedTest
	@CsvSource({ "P366D, 366d", "PT25H, 25h", "PT90M, 90m", "PT61S, 61s", "PT0.01S, 10ms", "PT1.5S, 1500ms",
			"PT0.000007S, 7us", "PT0.000000003S, 3ns", "PT0S, 0s", "PT-0.001S, -1ms", "PT-5S, -5s",
			"PT9223372036854775807S, 9223372036854775807s", "PT9223372036854775807.5S, PT2562047788015215H30M7.5S" })
	void durationReadsAsUsersWriteIt(Duration duration, String text) {
		assertThat(DurationText.of(duration)).isEqualTo(text);
	}

}
