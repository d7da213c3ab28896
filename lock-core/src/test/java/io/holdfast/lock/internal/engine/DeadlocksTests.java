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
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.engine.Look.BlockedThread;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which threads of a client are said to wait for each other, and when.
 */
class DeadlocksTests {

	private static final LeaseSpec LEASE = new LeaseSpec(60_000, false);

	private final AtomicLong clock = new AtomicLong();

	private final PendingReleases pending = new PendingReleases(this.clock::get, (key) -> "");

	private final LockEngine engine = engine();

	private final Thread one = new Thread("one");

	private final Thread two = new Thread("two");

	private final Thread three = new Thread("three");

	@Test
	void twoThreadsThatWaitForEachOtherAreToldOfOnce() {
		hold("a", this.one);
		hold("b", this.two);
		enter("b", this.one);
		enter("a", this.two);

		at(1000);
		assertThat(look()).as("suspected").isEmpty();
		assertThat(this.engine.time().nextLookNanos() - this.clock.get()).isLessThanOrEqualTo(millis(50));
		at(1050);
		assertThat(look()).singleElement()
			.satisfies((circle) -> assertThat(circle).containsExactlyInAnyOrder(new BlockedThread(this.one, "b"),
					new BlockedThread(this.two, "a")));
		at(3000);
		assertThat(look()).isEmpty();
		at(4000);
		assertThat(look()).isEmpty();
	}

	@Test
	void threeThreadsAreInTheOrderInWhichTheyWait() {
		hold("a", this.one);
		hold("b", this.two);
		hold("c", this.three);
		enter("b", this.one);
		enter("c", this.two);
		enter("a", this.three);

		at(1000);
		look();
		at(1050);

		List<BlockedThread> circle = look().get(0);
		assertThat(circle).hasSize(3);
		int first = circle.indexOf(new BlockedThread(this.one, "b"));
		assertThat(circle.get((first + 1) % 3)).isEqualTo(new BlockedThread(this.two, "c"));
		assertThat(circle.get((first + 2) % 3)).isEqualTo(new BlockedThread(this.three, "a"));
	}

	@Test
	void whoWaitsForAThreadThatRunsIsInNone() {
		hold("a", this.one);
		hold("b", this.two);
		enter("b", this.one);

		at(1000);
		assertThat(look()).isEmpty();
		at(1050);
		assertThat(look()).isEmpty();
	}

	@Test
	void waitThatEndsMeanwhileClearsTheSuspicion() {
		hold("a", this.one);
		hold("b", this.two);
		enter("b", this.one);
		Waiter waiter = enter("a", this.two);
		at(1000);
		look();

		this.engine.leave(waiter);
		enter("a", this.two);

		at(1050);
		assertThat(look()).as("another wait").isEmpty();
		at(1100);
		assertThat(look()).as("the same wait twice").hasSize(1);
	}

	@Test
	void secondCycleWithAWaitThatWasToldOfIsToldOf() {
		hold("a", this.one);
		hold("b", this.two);
		hold("c", this.three);
		Waiter waitsForB = enter("b", this.one);
		enter("a", this.two);
		at(1000);
		look();
		at(1050);
		assertThat(look()).as("one and two").hasSize(1);

		this.engine.leave(waitsForB);
		enter("c", this.one);
		enter("b", this.three);

		at(3000);
		look();
		at(3050);
		assertThat(look()).as("two, whose wait was told of, and others")
			.singleElement()
			.satisfies((cycle) -> assertThat(cycle).containsExactlyInAnyOrder(new BlockedThread(this.one, "c"),
					new BlockedThread(this.two, "a"), new BlockedThread(this.three, "b")));
		at(5000);
		assertThat(look()).isEmpty();
		at(5050);
		assertThat(look()).isEmpty();
	}

	private void hold(String name, Thread owner) {
		Waiter waiter = enter(name, owner);
		AcquireCommand question = ((Step.Ask) this.engine.next(waiter, false)).command();
		this.engine.replied(waiter, question,
				new LockReply(State.HOLDS, 60_000, 100, 110, false, 0, 2, this.clock.get()));
		assertThat(this.engine.leave(waiter).grant()).isNotNull();
	}

	private Waiter enter(String name, Thread owner) {
		Waiter waiter = new Waiter(owner, LEASE, millis(30_000), this.clock.get(), QueueEntryTests.NOBODY);
		assertThat(this.engine.enter(name, LockType.REENTRANT, waiter)).isInstanceOf(Entrance.Joined.class);
		return waiter;
	}

	private List<List<BlockedThread>> look() {
		return this.engine.time().look().deadlocks();
	}

	private void at(long millis) {
		this.clock.set(millis(millis));
	}

	private static long millis(long millis) {
		return TimeUnit.MILLISECONDS.toNanos(millis);
	}

	private LockEngine engine() {
		return new LockEngine(new EngineSettings(Duration.ofSeconds(30), Duration.ofSeconds(10), 10, true),
				new LockKeys("p:"), this.pending, new EngineHost() {

					@Override
					public long nanoTime() {
						return DeadlocksTests.this.clock.get();
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
