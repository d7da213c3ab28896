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

package io.holdfast.lock.dashboard;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.lock.LockObserver.ClientState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** How many locks a process held, and how many waited, over five minutes. */
class LockTrendTests {

	private final AtomicLong clock = new AtomicLong();

	private final LockTrend trend = new LockTrend(this.clock::get);

	private final Client one = new Client("one", 3, 50);

	private final Client other = new Client("other", 1, 7);

	@AfterEach
	void stop() {
		this.trend.remove(this.one);
		this.trend.remove(this.other);
	}

	@Test
	void clientsAreAddedUp() {
		this.trend.add(this.one);
		this.trend.look();
		this.trend.add(this.other);
		this.trend.look();
		this.trend.remove(this.one);
		this.trend.look();

		assertThat(this.trend.values().held()).containsExactly(3, 4, 1);
		assertThat(this.trend.values().waiting()).containsExactly(50, 57, 7);
	}

	@Test
	void fiveMinutesAreRemembered() {
		this.trend.look();
		this.trend.add(this.one);
		for (int i = 0; i < LockWaits.SLOTS; i++) {
			this.trend.look();
		}

		assertThat(this.trend.values().held()).hasSize(LockWaits.SLOTS).containsOnly(3);
	}

	@Test
	void whatWasBeforeAPauseIsNotDrawnAsIfItWereJustBefore() {
		this.trend.add(this.one);
		this.trend.look();
		this.clock.addAndGet(Duration.ofSeconds(11).toNanos());
		this.trend.look();

		assertThat(this.trend.values().held()).containsExactly(3);
	}

	@Test
	void clientThatIsClosedIsForgotten() {
		this.trend.add(this.one);
		assertThat(this.trend.knows("one")).isTrue();
		this.trend.remove(this.one);

		assertThat(this.trend.knows("one")).isFalse();
	}

	private record Client(String id, int held, int waiting) implements ClientState {

		@Override
		public int unsure() {
			return 0;
		}

		@Override
		public Duration renewalLag() {
			return Duration.ZERO;
		}

		@Override
		public int pendingReleases() {
			return 0;
		}

		@Override
		public long resubscriptions() {
			return 0;
		}

		@Override
		public Duration subscriptionDownFor() {
			return Duration.ZERO;
		}

	}

}
