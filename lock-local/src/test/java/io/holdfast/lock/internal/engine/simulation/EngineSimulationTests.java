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

package io.holdfast.lock.internal.engine.simulation;

import java.io.IOException;
import java.util.List;
import java.util.stream.LongStream;

import io.holdfast.lock.internal.engine.simulation.Seeds.Failure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * The engine in many schedules, each of which follows from its seed, with locks of every
 * kind. The properties {@code simulation.first} and {@code simulation.seeds} say which
 * seeds to run; {@code simulation.seed} runs one and prints what happens.
 */
class EngineSimulationTests {

	private static final long SEEDS = Long.getLong("simulation.seeds", 20_000);

	private static final long FIRST = Long.getLong("simulation.first", 1);

	private static final long PART = 1_000;

	private static final Long ONLY = Long.getLong("simulation.seed");

	/**
	 * Parts, so that none takes long on a busy machine.
	 */
	static LongStream everyScheduleKeepsThePromises() {
		return (ONLY != null) ? LongStream.of(ONLY)
				: LongStream.iterate(FIRST, (first) -> first < FIRST + SEEDS, (first) -> first + PART);
	}

	@ParameterizedTest
	@MethodSource
	void everyScheduleKeepsThePromises(long first) throws InterruptedException {
		Failure failure = (ONLY != null) ? Seeds.run(ONLY) : Seeds.run(first, Math.min(PART, FIRST + SEEDS - first));
		if (ONLY != null) {
			Seeds.trace(ONLY).forEach(System.out::println);
		}
		if (failure != null) {
			fail("seed " + failure.seed() + " (replay with -Dsimulation.seed=" + failure.seed() + "): "
					+ failure.cause().getMessage() + "\n" + String.join("\n", Seeds.trace(failure.seed())),
					failure.cause());
		}
	}

	@Test
	void aSeedSaysAllThatHappens() {
		for (long seed = FIRST; seed < FIRST + 200; seed++) {
			List<String> trace = Seeds.trace(seed);

			assertThat(Seeds.trace(seed)).as("seed " + seed).isEqualTo(trace).isNotEmpty();
		}
	}

	@Test
	void mutantsFitTheEngine() throws IOException {
		assertThat(EngineMutants.fit()).isGreaterThanOrEqualTo(90);
	}

}
