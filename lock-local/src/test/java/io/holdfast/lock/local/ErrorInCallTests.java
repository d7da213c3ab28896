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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** An {@code Error} wherever a call reads the clock leaves nothing of that call. */
class ErrorInCallTests {

	private static final int MOST_READINGS = 12;

	private final Thread caller = Thread.currentThread();

	/** After so many readings of the clock by the caller the next one fails. */
	private int readings = Integer.MAX_VALUE;

	private final LocalLockClient client = LocalLockClient.builder()
		.watchdogTimeout(Duration.ofMillis(300))
		.nanoTime(this::now)
		.build();

	private final LeaseLock lock = this.client.getLock("a", LockOptions.defaults());

	@AfterEach
	void close() {
		this.client.close();
	}

	private long now() {
		if (Thread.currentThread() == this.caller && this.readings-- == 0) {
			throw new StackOverflowError("for the test");
		}
		return System.nanoTime();
	}

	private boolean fails(int reading) {
		this.readings = reading;
		try {
			this.lock.lock();
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
		int failed = 0;
		for (int reading = 0; reading < MOST_READINGS; reading++) {
			if (fails(reading)) {
				failed++;
				Awaitility.await().until(() -> !this.lock.isLocked());
			}
			else {
				this.lock.unlock();
			}
			assertThat(this.lock.isLocked()).isFalse();
		}
		assertThat(failed).isBetween(2, MOST_READINGS - 1);
	}

	@Test
	void nextAcquisition() {
		this.lock.lock();
		int failed = 0;
		for (int reading = 0; reading < MOST_READINGS; reading++) {
			if (fails(reading)) {
				failed++;
			}
			else {
				this.lock.unlock();
			}
			assertThat(this.lock.holdCount()).as("after reading %s", reading).isOne();
		}
		assertThat(failed).isBetween(2, MOST_READINGS - 1);
	}

}
