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

package io.holdfast.lock.internal.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long the threads of a client may pass a hold to each other, at moments that only a
 * test can choose.
 */
class HoldTests {

	private static final long LAST_TOKEN = 1000;

	private static final LeaseSpec WATCHED = new LeaseSpec(30_000, true);

	private final Waiter next = new Waiter("next", WATCHED, millis(10_000), 0, QueueEntryTests.NOBODY);

	@Test
	void holdThatAnotherClientWaitsForIsPassedSoManyTimes() {
		Hold hold = hold(3, true);

		assertThat(pass(hold, 0)).isTrue();
		assertThat(pass(hold, 0)).isTrue();
		assertThat(pass(hold, 0)).isTrue();
		assertThat(pass(hold, 0)).isFalse();
	}

	@Test
	void holdThatAnotherClientWaitsForIsNeverPassedIfThatIsNotWanted() {
		assertThat(pass(hold(0, true), 0)).isFalse();
	}

	@Test
	void holdThatAnotherClientWaitsForIsPassedForSoLong() {
		Hold hold = hold(10_000, true);

		assertThat(pass(hold, millis(100))).isTrue();
		assertThat(pass(hold, millis(100) + 1)).isFalse();
	}

	@Test
	void holdThatNoOtherClientWaitsForIsPassedWithoutEnd() {
		Hold hold = hold(0, false);

		for (int i = 0; i < 5; i++) {
			assertThat(pass(hold, millis(1000L * i))).isTrue();
		}
	}

	@Test
	void holdThatLastsLongerThanTheNextOwnerAskedForIsNotPassed() {
		Hold hold = hold(10, false);

		assertThat(pass(hold, 0)).isTrue();
		assertThat(pass(hold, -1)).isFalse();
	}

	@Test
	void passesCountFromTheMomentOnAtWhichAnotherClientBeganToWait() {
		Hold hold = hold(1, false);
		assertThat(pass(hold, millis(500))).isTrue();

		hold.awaited(millis(1000));
		hold.awaited(millis(1090));

		assertThat(pass(hold, millis(1100))).isTrue();
		assertThat(pass(hold, millis(1100))).isFalse();
	}

	private Hold hold(int maxLocalHandoffs, boolean awaited) {
		return new Hold(settings(maxLocalHandoffs), 1, LAST_TOKEN, millis(30_000), awaited, 0);
	}

	private boolean pass(Hold hold, long nowNanos) {
		return hold.tryPass(watchedGrant(), this.next, nowNanos);
	}

	private Grant watchedGrant() {
		Waiter owner = new Waiter("owner", WATCHED, millis(10_000), 0, QueueEntryTests.NOBODY);
		return new Grant(null, owner, 1, false, millis(30_000), 0);
	}

	private static EngineSettings settings(int maxLocalHandoffs) {
		return new EngineSettings(Duration.ofSeconds(30), Duration.ofSeconds(10), maxLocalHandoffs, true);
	}

	private static long millis(long millis) {
		return TimeUnit.MILLISECONDS.toNanos(millis);
	}

}
