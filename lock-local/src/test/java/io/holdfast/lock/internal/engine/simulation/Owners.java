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

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Threads that live and do nothing: they only own what callers acquire. All schedules may
 * share them, because an engine compares threads and nothing else.
 */
final class Owners {

	private static final List<Thread> threads = IntStream.range(0, 12).mapToObj((i) -> start()).toList();

	private Owners() {
	}

	static Thread thread(int number) {
		return threads.get(number);
	}

	private static Thread start() {
		Thread thread = new Thread(() -> {
			while (true) {
				LockSupport.park(threads);
			}
		}, "simulated-owner");
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

}
