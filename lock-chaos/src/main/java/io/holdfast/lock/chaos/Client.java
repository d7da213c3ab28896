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

import java.time.Duration;
import java.util.List;

import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.JavaProcess;

/**
 * A client process, as the conductor sees it.
 *
 * @param number its number
 * @param process the process
 * @param id how the server knows it
 * @param proxies its ways to the servers, if these can be broken
 * @param life its record
 */
record Client(int number, JavaProcess process, String id, List<FaultProxy> proxies, int life) {

	static final Duration PATIENCE = Duration.ofMinutes(3);

	void interrupt(Duration time) {
		this.process.tell("interrupt " + time.toMillis());
	}

	void stop() {
		this.process.tell("stop");
	}

	void awaitStopped() {
		this.process.awaitLine("STOPPED", PATIENCE.dividedBy(3));
	}

}
