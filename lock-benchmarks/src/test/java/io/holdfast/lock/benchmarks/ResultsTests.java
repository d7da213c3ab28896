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

import java.util.Map;

import io.holdfast.lock.benchmarks.libraries.Libraries;
import io.holdfast.lock.benchmarks.libraries.Library;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How results are shown.
 */
class ResultsTests {

	private final Library limit = Libraries.named("raw-jedis");

	private final Library ours = Libraries.named("holdfast-jedis");

	private final Results results = new Results("Title", "raw-jedis");

	@Test
	void showsMediansAndMediansOfRatiosWithinARound() {
		record(1, 100, 50);
		record(2, 200, 180);
		record(3, 300, 60);

		assertThat(this.results.markdown()).contains("| library | pairs/s | x raw-jedis |", "| raw-jedis | 200 | 1 |",
				"| holdfast-jedis | 60 | 0.50 |");
	}

	@Test
	void showsNoRatioWithoutTheReference() {
		this.results.of(this.ours, 1).record("1 thread", Map.of("pairs/s", 5.0));

		assertThat(this.results.markdown()).doesNotContain("x raw-jedis");
	}

	@Test
	void comparesOnlyRoundsThatBothHad() {
		record(1, 100, 50);
		this.results.of(this.ours, 2).record("1 thread", Map.of("pairs/s", 50.0));

		assertThat(this.results.markdown()).contains("| holdfast-jedis | 50 | 0.50 |");
	}

	private void record(int round, double limit, double ours) {
		this.results.of(this.limit, round).record("1 thread", Map.of("pairs/s", limit));
		this.results.of(this.ours, round).record("1 thread", Map.of("pairs/s", ours));
	}

}
