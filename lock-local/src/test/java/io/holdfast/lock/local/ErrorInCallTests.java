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

package io.holdfast.lock.local;

import java.time.Duration;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** An {@code Error} wherever a call reads the clock leaves nothing of that call. */
class ErrorInCallTests {

	private static final int MOST_READINGS = 12;

	private final Thread caller = Thread.currentThread();

	/** After so many readings of the clock by the caller the next one fails. */
	private int readings = Integer.MAX_VALUE;

	private long now() {
		if (Thread.currentThread() == this.caller && this.readings-- == 0) {
			throw new StackOverflowError("for the test");
		}
		return System.nanoTime();
	}

	private LocalLockClient open(Duration watchdogTimeout) {
		return LocalLockClient.builder().watchdogTimeout(watchdogTimeout).nanoTime(this::now).build();
	}

	private boolean fails(LeaseLock lock, int reading) {
		this.readings = reading;
		try {
			lock.lock();
			return false;
		}
		catch (StackOverflowError ex) {
			return true;
		}
		finally {
			this.readings = Integer.MAX_VALUE;
		}
	}

	@Test
	void firstAcquisition() {
		try (LocalLockClient client = open(Duration.ofSeconds(2))) {
			LeaseLock lock = client.getLock("a", LockOptions.defaults());
			int failed = 0;
			for (int reading = 0; reading < MOST_READINGS; reading++) {
				if (fails(lock, reading)) {
					failed++;
					Awaitility.await().until(() -> !lock.isLocked());
				}
				else {
					lock.unlock();
				}
				assertThat(lock.isLocked()).isFalse();
			}
			assertThat(failed).isBetween(2, MOST_READINGS - 1);
		}
	}

	@Test
	void nextAcquisition() {
		try (LocalLockClient client = open(Duration.ofMinutes(10))) {
			LeaseLock lock = client.getLock("a", LockOptions.defaults());
			lock.lock();
			int failed = 0;
			for (int reading = 0; reading < MOST_READINGS; reading++) {
				if (fails(lock, reading)) {
					failed++;
				}
				else {
					lock.unlock();
				}
				assertThat(lock.holdCount()).as("after reading %s", reading).isOne();
			}
			assertThat(failed).isBetween(2, MOST_READINGS - 1);
		}
	}

}
