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

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What gauges show of an engine. */
class EngineViewTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private final AtomicLong clock = new AtomicLong();

	private final LockEngine engine = new LockEngine(new EngineSettings(TIMEOUT, TIMEOUT, 10, true), new LockKeys("p:"),
			new PendingReleases(this.clock::get, (key) -> ""), new EngineHost() {

				@Override
				public long nanoTime() {
					return EngineViewTests.this.clock.get();
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

	@Test
	void ownersAndWaitersAreCounted() {
		Waiter first = enter();
		enter();
		assertThat(this.engine.view().held()).isZero();
		assertThat(this.engine.view().waiting()).isEqualTo(2);

		hold(first);

		assertThat(this.engine.view().held()).isOne();
		assertThat(this.engine.view().waiting()).isOne();
	}

	@Test
	void renewalLagBeginsWithTheFirstRenewalWithoutAnswer() {
		hold(enter());
		at(1000);
		assertThat(lagMillis()).as("due just now").isZero();

		Look.Due first = renewal();
		at(1300);
		this.engine.time().renewalFailed(first, timedOut());
		at(1500);
		assertThat(lagMillis()).isEqualTo(500);

		Look.Due second = renewal();
		at(1800);
		assertThat(lagMillis()).isEqualTo(800);

		this.engine.time().renewed(second, holds(1500));
		assertThat(lagMillis()).isZero();
	}

	@Test
	void missedMessagesAreNoLagOfALeaseThatNobodyRenews() {
		Waiter waiter = new Waiter(new HandleOwner(), new LeaseSpec(60_000, false), millis(60_000), this.clock.get(),
				QueueEntryTests.NOBODY);
		this.engine.enter("a", LockType.REENTRANT, waiter);
		AcquireCommand question = ((Step.Ask) this.engine.next(waiter, false)).command();
		this.engine.replied(waiter, question, new LockReply(State.HOLDS, 60_000, 1, 100, false, 0, 2, 0));
		assertThat(waiter.grant).isNotNull();
		at(50_000);

		this.engine.messages().missedMessages();
		this.engine.time().look();

		assertThat(lagMillis()).isZero();
	}

	@Test
	void waiterWithoutAnswerIsNoRenewalLag() {
		Waiter waiter = enter();
		AcquireCommand question = ((Step.Ask) this.engine.next(waiter, false)).command();
		this.engine.replied(waiter, question, new LockReply(State.WAITS, TIMEOUT.toMillis(), 0, 100, false, 1, 2, 0));
		at(2500);
		assertThat(this.engine.time().look().renewals()).hasSize(1);
		at(9000);

		assertThat(lagMillis()).isZero();
	}

	private Waiter enter() {
		Waiter waiter = new Waiter(new HandleOwner(), new LeaseSpec(TIMEOUT.toMillis(), true), millis(60_000),
				this.clock.get(), QueueEntryTests.NOBODY);
		this.engine.enter("a", LockType.REENTRANT, waiter);
		return waiter;
	}

	private void hold(Waiter waiter) {
		AcquireCommand question = ((Step.Ask) this.engine.next(waiter, false)).command();
		this.engine.replied(waiter, question, holds(0));
		assertThat(waiter.grant).isNotNull();
	}

	private Look.Due renewal() {
		Look look = this.engine.time().look();
		assertThat(look.renewals()).hasSize(1);
		return look.renewals().get(0);
	}

	private long lagMillis() {
		return TimeUnit.NANOSECONDS.toMillis(this.engine.view().renewalLagNanos());
	}

	private void at(long millis) {
		this.clock.set(millis(millis));
	}

	private static LockReply holds(long sentMillis) {
		return new LockReply(State.HOLDS, TIMEOUT.toMillis(), 1, 100, false, 0, 2, millis(sentMillis));
	}

	private static LockServerException timedOut() {
		return new LockServerException("a", Reason.TIMED_OUT, "no answer", new IOException());
	}

	private static long millis(long millis) {
		return TimeUnit.MILLISECONDS.toNanos(millis);
	}

}
