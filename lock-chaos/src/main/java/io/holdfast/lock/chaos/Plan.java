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
import java.util.List;

/**
 * What a run is to be.
 *
 * @param topology what kind of Redis
 * @param library which lock library
 * @param time how long faults happen
 * @param seed of all that is random
 * @param conditions what happens to the clients meanwhile
 * @param clients how many client processes
 * @param threads how many threads each of them has
 * @param locks how many locks they share
 * @param history directory for what is recorded
 * @param classPath of the client processes
 * @param arguments for each server that has data
 */
record Plan(Topology topology, Library library, Duration time, long seed, Conditions conditions, int clients,
		int threads, int locks, Path history, String classPath, List<String> arguments) {

	/**
	 * A run of usual size.
	 */
	static Plan of(Topology topology, Library library, Duration time, long seed, Path history) {
		return new Plan(topology, library, time, seed, Conditions.usual(Duration.ofSeconds(4)), 4, 16, 32, history,
				System.getProperty("java.class.path"), List.of());
	}

	Plan arguments(List<String> ofServers) {
		return new Plan(this.topology, this.library, this.time, this.seed, this.conditions, this.clients, this.threads,
				this.locks, this.history, this.classPath, ofServers);
	}

	Plan conditions(Conditions others) {
		return new Plan(this.topology, this.library, this.time, this.seed, others, this.clients, this.threads,
				this.locks, this.history, this.classPath, this.arguments);
	}

	Plan classPath(String path) {
		return new Plan(this.topology, this.library, this.time, this.seed, this.conditions, this.clients, this.threads,
				this.locks, this.history, path, this.arguments);
	}

}
