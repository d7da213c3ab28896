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

package io.holdfast.lock.redis;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.testing.Crew;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A thread owns what it acquired itself, whichever other threads it equals.
 */
class OwnerIdentityTests extends LockContract {

	@Test
	void threadsThatAreEqualDoNotShareAHold() throws Exception {
		try (Crew crew = new Crew(EqualThread::new)) {
			LeaseLock lock = lock();
			crew.start("first", lock::lock).join(LONG);

			crew.start("second", () -> {
				assertThat(lock.isHeldByCurrentThread()).isFalse();
				assertThat(lock.holdCount()).isZero();
				assertThat(lock.tryLock()).isFalse();
				assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::token);
				assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
			}).join(LONG);

			assertThat(lock(this.elsewhere).isLocked()).isTrue();
		}
	}

	/**
	 * A thread that equals all of its kind.
	 */
	private static final class EqualThread extends Thread {

		EqualThread(Runnable task) {
			super(task);
		}

		@Override
		public boolean equals(Object other) {
			return other instanceof EqualThread;
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

}
