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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.LockKeys;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long the threads of a client may pass a hold to each other, at moments that only a
 * test can choose.
 */
class TenureTests {

	private static final long LAST_TOKEN = 1000;

	private static final LeaseSpec WATCHED = new LeaseSpec(30_000, true);

	private final Waiter next = new Waiter("next", WATCHED, true, millis(10_000));

	@Test
	void holdThatAnotherClientWaitsForIsPassedSoManyTimes() {
		Tenure tenure = tenure(3, true);

		assertThat(pass(tenure, 0)).isTrue();
		assertThat(pass(tenure, 0)).isTrue();
		assertThat(pass(tenure, 0)).isTrue();
		assertThat(pass(tenure, 0)).isFalse();
	}

	@Test
	void holdThatAnotherClientWaitsForIsNeverPassedIfThatIsNotWanted() {
		assertThat(pass(tenure(0, true), 0)).isFalse();
	}

	@Test
	void holdThatAnotherClientWaitsForIsPassedForSoLong() {
		Tenure tenure = tenure(10_000, true);

		assertThat(pass(tenure, millis(100))).isTrue();
		assertThat(pass(tenure, millis(100) + 1)).isFalse();
	}

	@Test
	void holdThatNoOtherClientWaitsForIsPassedWithoutEnd() {
		Tenure tenure = tenure(0, false);

		for (int i = 0; i < 5; i++) {
			assertThat(pass(tenure, millis(1000L * i))).isTrue();
		}
	}

	@Test
	void holdThatLastsLongerThanTheNextOwnerAskedForIsNotPassed() {
		Tenure tenure = tenure(10, false);

		assertThat(pass(tenure, 0)).isTrue();
		assertThat(pass(tenure, -1)).isFalse();
	}

	@Test
	void passesCountFromTheMomentOnAtWhichAnotherClientBeganToWait() {
		Tenure tenure = tenure(1, false);
		assertThat(pass(tenure, millis(500))).isTrue();

		tenure.awaited(millis(1000));
		tenure.awaited(millis(1090));

		assertThat(pass(tenure, millis(1100))).isTrue();
		assertThat(pass(tenure, millis(1100))).isFalse();
	}

	private Tenure tenure(int maxLocalHandoffs, boolean awaited) {
		return new Tenure(settings(maxLocalHandoffs), 1, LAST_TOKEN, awaited, 0);
	}

	private boolean pass(Tenure tenure, long nowNanos) {
		return tenure.tryPass(watchedGrant(), this.next, nowNanos);
	}

	private static Grant watchedGrant() {
		LocalLock lock = new LocalLock("a", "p:lock:a");
		Contender contender = new Contender(lock, LockType.REENTRANT, false, settings(0),
				new Leftovers(System::nanoTime), 0);
		return new Grant(lock, contender, new Waiter("owner", WATCHED, true, 0), 1, millis(30_000));
	}

	private static Settings settings(int maxLocalHandoffs) {
		return new Settings(new LockKeys("p:"), "app@host/1", Duration.ofSeconds(5), Duration.ofSeconds(30),
				Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofMinutes(1), maxLocalHandoffs, List.of(),
				null, null);
	}

	private static long millis(long millis) {
		return TimeUnit.MILLISECONDS.toNanos(millis);
	}

}
