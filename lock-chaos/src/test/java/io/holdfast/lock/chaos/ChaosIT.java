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

package io.holdfast.lock.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.holdfast.lock.chaos.Conductor.Result;
import io.holdfast.lock.chaos.History.FaultWindow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A short run in which everything breaks once.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ChaosIT {

	private static final Duration AT_LEAST = Duration.ofSeconds(10);

	private static final Duration CALM = Duration.ofMillis(400);

	@TempDir
	private Path history;

	@Test
	void nothingThatWasPromisedOnOneServerIsBroken() throws Exception {
		run(Topology.STANDALONE, EnumSet.range(Fault.HOLDER_KILLED, Fault.MESSAGES_FORBIDDEN));
	}

	@Test
	void nothingThatWasPromisedOnAQuorumIsBroken() throws Exception {
		Set<Fault> expected = EnumSet.range(Fault.HOLDER_KILLED, Fault.ALL_EMPTIED);
		expected.remove(Fault.HEAD_KILLED);
		run(Topology.QUORUM, expected);
	}

	private void run(Topology topology, Set<Fault> expected) throws Exception {
		Plan plan = Plan.of(topology, Library.HOLDFAST, AT_LEAST, 1, this.history).conditions(Conditions.usual(CALM));
		Result result = new Conductor(plan, false).run();
		assertThat(result.findings().violations()).isEmpty();
		assertThat(result.history().attempts()).filteredOn(Attempt::granted).hasSizeGreaterThan(1000);
		assertThat(result.history().writes()).isNotEmpty();
		Set<Fault> happened = result.history()
			.faultWindows()
			.stream()
			.map(FaultWindow::fault)
			.collect(Collectors.toSet());
		happened.add(Fault.STARVED);
		assertThat(happened).containsAll(expected);
	}

}
