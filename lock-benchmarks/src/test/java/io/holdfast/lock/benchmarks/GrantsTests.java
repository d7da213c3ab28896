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

package io.holdfast.lock.benchmarks;

import java.util.List;

import io.holdfast.lock.benchmarks.Grants.Grant;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is read out of the grants of a lock.
 */
class GrantsTests {

	private final Grants grants = new Grants(List.of(new Grant(0, 0, 100, 110, 120), new Grant(0, 1, 105, 130, 140),
			new Grant(1, 0, 90, 150, 160), new Grant(0, 0, 125, 170, 180)));

	@Test
	void countsGrantsBeforeAMoment() {
		assertThat(this.grants.before(150)).isEqualTo(2);
	}

	@Test
	void handOverLastsFromReleaseToNextGrant() {
		assertThat(this.grants.handOvers().size()).isEqualTo(3);
		assertThat(this.grants.handOvers().percentile(100)).isEqualTo(10);
	}

	@Test
	void handOverBetweenProcessesIsWhereTheProcessChanged() {
		assertThat(this.grants.handOversBetweenProcesses().size()).isEqualTo(2);
	}

	@Test
	void requestThatWaitsForLongerIsOvertakenByAllThatCameLater() {
		assertThat(this.grants.inversions(0)).isEqualTo(2);
	}

	@Test
	void requestThatIsHardlyOlderIsNotOvertaken() {
		assertThat(this.grants.inversions(10)).isEqualTo(1);
		assertThat(this.grants.inversions(15)).isZero();
	}

	@Test
	void longestWaitIsFromCallToGrant() {
		assertThat(this.grants.longestWaitNanos()).isEqualTo(60);
	}

	@Test
	void sharesCompareTheLargestWithTheSmallest() {
		assertThat(this.grants.processShares(2, 1000)).isEqualTo(3);
		assertThat(this.grants.threadShares(3, 1000)).isEqualTo(2);
	}

	@Test
	void sharesAreInfiniteIfOneHadNone() {
		assertThat(this.grants.processShares(2, 150)).isInfinite();
	}

}
