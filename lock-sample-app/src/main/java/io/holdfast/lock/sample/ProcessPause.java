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

package io.holdfast.lock.sample;

import java.io.IOException;
import java.time.Duration;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.stereotype.Component;

/**
 * Stops this whole process for a while, as a frozen virtual machine or a long garbage
 * collection does: no thread runs, and nothing renews a lock. The signals are those of
 * Linux and macOS.
 */
@Component
class ProcessPause {

	private static final Log logger = LogFactory.getLog(ProcessPause.class);

	/** By thread, so that no other payment pauses. */
	private final ThreadLocal<Duration> planned = ThreadLocal.withInitial(() -> Duration.ZERO);

	/** Plans a pause in the payment that follows: when it has looked, but not charged. */
	void plan(Duration time) {
		this.planned.set(time);
	}

	void cancel() {
		this.planned.remove();
	}

	void ifPlanned() {
		Duration time = this.planned.get();
		if (!time.isZero()) {
			stop(time);
		}
	}

	private static void stop(Duration time) {
		long pid = ProcessHandle.current().pid();
		logger.warn("This process stops for " + time.toSeconds() + " s, as kill -STOP " + pid + " does");
		try {
			// The shell goes on while this process cannot, and wakes it up. Ctrl-C and
			// Ctrl-Z reach it as well: if they stopped it nobody would
			new ProcessBuilder("sh", "-c", "trap '' INT HUP TERM TSTP; kill -STOP %1$s; sleep %2$s; kill -CONT %1$s"
				.formatted(pid, time.toSeconds())).start().waitFor();
		}
		catch (IOException ex) {
			throw new IllegalStateException("A process cannot be paused here", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted in a pause", ex);
		}
		logger.warn("This process goes on");
	}

}
