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
import java.util.concurrent.locks.LockSupport;

/**
 * Notices when its process gets no processor, so that a busy machine is not taken for a
 * broken promise.
 */
final class StallDetector implements Runnable {

	private static final Duration BEAT = Duration.ofMillis(20);

	private static final Duration MISSED = Duration.ofMillis(250);

	private final Recorder recorder;

	private final int process;

	StallDetector(Recorder recorder, int process) {
		this.recorder = recorder;
		this.process = process;
	}

	void start() {
		Thread thread = new Thread(this, "stall-detector");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void run() {
		long last = System.nanoTime();
		while (true) {
			LockSupport.parkNanos(BEAT.toNanos());
			long now = System.nanoTime();
			if (now - last > MISSED.toNanos()) {
				this.recorder.faultEnded(this.recorder.fault(Fault.STARVED, this.process, last), now);
			}
			last = now;
		}
	}

}
