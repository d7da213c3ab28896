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
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.engine.Look.LongWait;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the looks of the watchdog find to be held, or waited for, too long, and which
 * renewals are late.
 */
class TooLongTests {

	private static final Duration THRESHOLD = Duration.ofMillis(700);

	private final AtomicLong clock = new AtomicLong();

	private final PendingReleases pending = new PendingReleases(this.clock::get, (key) -> "");

	private LockEngine engine = engine(THRESHOLD, THRESHOLD);

	@Test
	void holdIsToldOfOnce() {
		Grant held = hold("a", true);

		at(699);
		assertThat(look().longHolds()).isEmpty();
		at(705);
		assertThat(look().longHolds()).containsExactly(held);
		at(1200);
		assertThat(look().longHolds()).isEmpty();
	}

	@Test
	void holdWithAnExplicitLeaseIsLookedAtInTime() {
		Grant held = hold("a", false);

		at(705);

		assertThat(look().longHolds()).containsExactly(held);
	}

	@Test
	void holdThatIsOverIsNotToldOf() {
		hold("a", true);

		at(2000);

		assertThat(look().longHolds()).isEmpty();
	}

	@Test
	void callersWhoWaitAreToldOfTogetherAndEachOnce() {
		Grant held = hold("a", true);
		waitFor("a");
		at(300);
		waitFor("a");

		at(705);
		assertThat(look().longWaits())
			.containsExactly(new LongWait("p:lock:a", "a", 1, TimeUnit.MILLISECONDS.toNanos(705), held));
		at(1010);
		assertThat(look().longWaits()).singleElement().satisfies((wait) -> assertThat(wait.callers()).isOne());
		at(1300);
		assertThat(look().longWaits()).isEmpty();
	}

	/**
	 * Although nothing else is due for the lock that it waits for.
	 */
	@Test
	void callerWhoWaitsForAnExplicitLeaseIsLookedAtInTime() {
		this.engine = engine(Duration.ZERO, THRESHOLD);
		hold("a", false);
		waitFor("a");

		at(705);

		assertThat(look().longWaits()).hasSize(1);
	}

	@Test
	void nothingIsToldOfWithoutThresholds() {
		this.engine = engine(Duration.ZERO, Duration.ZERO);
		hold("a", true);
		waitFor("a");

		at(1200);
		Look look = look();

		assertThat(look.longHolds()).isEmpty();
		assertThat(look.longWaits()).isEmpty();
	}

	@Test
	void renewalIsLateAfterTwoThirdsOfTheLease() {
		hold("a", true);
		hold("b", false);

		at(900);
		assertThat(this.engine.view().late()).isZero();
		at(1000);
		assertThat(this.engine.view().late()).isEqualTo(1);
	}

	private Grant hold(String name, boolean watched) {
		Waiter waiter = enter(name, watched ? new LeaseSpec(1500, true) : new LeaseSpec(1500, false));
		AcquireCommand question = ((Step.Ask) this.engine.next(waiter, false)).command();
		this.engine.replied(waiter, question,
				new LockReply(State.HOLDS, 1500, 100, 110, false, 0, 2, this.clock.get()));
		return this.engine.leave(waiter).grant();
	}

	private void waitFor(String name) {
		enter(name, new LeaseSpec(1500, true));
	}

	private Waiter enter(String name, LeaseSpec lease) {
		Waiter waiter = new Waiter(new HandleOwner(), lease, TimeUnit.SECONDS.toNanos(10), this.clock.get(),
				QueueEntryTests.NOBODY);
		assertThat(this.engine.enter(name, LockType.REENTRANT, waiter)).isInstanceOf(Entrance.Joined.class);
		return waiter;
	}

	private Look look() {
		return this.engine.time().look();
	}

	private void at(long millis) {
		this.clock.set(TimeUnit.MILLISECONDS.toNanos(millis));
	}

	private LockEngine engine(Duration heldTooLong, Duration waitTooLong) {
		return new LockEngine(new EngineSettings(Duration.ofMillis(1500), Duration.ofMillis(1500), 10, true,
				heldTooLong, waitTooLong), new LockKeys("p:"), this.pending, new EngineHost() {

					@Override
					public long nanoTime() {
						return TooLongTests.this.clock.get();
					}

					@Override
					public boolean hearsMessages() {
						return true;
					}

					@Override
					public void lost(LossNotice notice) {
					}

					@Override
					public void failed(Throwable thrown) {
						throw new AssertionError(thrown);
					}

					@Override
					public void wakeWatchdog() {
					}

				});
	}

}
