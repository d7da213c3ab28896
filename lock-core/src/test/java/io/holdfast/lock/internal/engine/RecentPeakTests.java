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

package io.holdfast.lock.internal.engine;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** For how long the largest value is remembered. */
class RecentPeakTests {

	private final RecentPeak peak = new RecentPeak(seconds(1000));

	@Test
	void largestValueCounts() {
		this.peak.record(3, seconds(1001));
		this.peak.record(7, seconds(1002));
		this.peak.record(5, seconds(1003));

		assertThat(this.peak.get(seconds(1003))).isEqualTo(7);
	}

	@Test
	void valueIsRememberedForAMinuteAtLeastAndTwoAtMost() {
		this.peak.record(7, seconds(1059));
		this.peak.record(5, seconds(1061));

		assertThat(this.peak.get(seconds(1119))).isEqualTo(7);
		assertThat(this.peak.get(seconds(1121))).isEqualTo(5);
		assertThat(this.peak.get(seconds(1179))).isEqualTo(5);
		assertThat(this.peak.get(seconds(1180))).isZero();
	}

	@Test
	void looksDoNotProlongIt() {
		this.peak.record(7, seconds(1000));

		assertThat(this.peak.get(seconds(1059))).isEqualTo(7);
		assertThat(this.peak.get(seconds(1118))).isEqualTo(7);
		assertThat(this.peak.get(seconds(1120))).isZero();
	}

	@Test
	void nothingIsRememberedOfAValueBeforeALongRest() {
		this.peak.record(7, seconds(1001));

		assertThat(this.peak.get(seconds(5000))).isZero();
	}

	private static long seconds(long seconds) {
		return TimeUnit.SECONDS.toNanos(seconds);
	}

}
