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

import java.lang.management.ManagementFactory;

/**
 * The heap of this process.
 */
final class Heap {

	private Heap() {
	}

	/**
	 * What is left of it in use after the garbage was collected.
	 */
	static long usedBytes() {
		for (int i = 0; i < 3; i++) {
			System.gc();
			Threads.sleepUntil(System.nanoTime() + 100_000_000);
		}
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

}
