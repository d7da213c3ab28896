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

/**
 * All scenarios, in the order in which they run.
 */
final class Scenarios {

	static final List<Scenario> ALL = List.of(new Commands(), new DistinctKeys(), new ProcessorTime(),
			HotKey.oneProcess(), HotKey.fourProcesses(), HotKey.fair(), Sharing.readers(), Sharing.permits(),
			new ManyWaiters(), new ManyWaits(), new HeldLocks(), new ManyKeys(), new Nested(), new Interceptor(),
			new ManyClients(), new Growth(), new VirtualWaiters());

	private Scenarios() {
	}

	static Scenario named(String name) {
		return ALL.stream()
			.filter((scenario) -> scenario.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					"No scenario " + name + "; there are " + ALL.stream().map(Scenario::name).toList() + " and all"));
	}

}
