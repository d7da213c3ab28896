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
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A caller for whom there is no memory when it leaves, or gives back: whoever comes next
 * does not meet what it has left.
 */
class LeaveErrorTests {

	private static final LeaseSpec WATCHED = new LeaseSpec(1500, true);

	private final AtomicLong clock = new AtomicLong();

	/** How many commands there is no memory for. */
	private final AtomicInteger outOfMemory = new AtomicInteger();

	private final AtomicBoolean lossFails = new AtomicBoolean();

	/** Which method of the schedule there is no memory for, once. */
	private final AtomicReference<String> ticksFail = new AtomicReference<>("");

	private final LockEngine engine = new LockEngine(
			new EngineSettings(Duration.ofMillis(1500), Duration.ofMillis(1500), 10, true, false), new LockKeys("p:"),
			new PendingReleases(this.clock::get, (key) -> ""), new EngineHost() {

				@Override
				public long nanoTime() {
					return LeaveErrorTests.this.clock.get();
				}

				@Override
				public boolean hearsMessages() {
					return true;
				}

				@Override
				public String nextRequestId() {
					if (LeaveErrorTests.this.outOfMemory.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
						throw new OutOfMemoryError("thrown on purpose");
					}
					return EngineHost.super.nextRequestId();
				}

				@Override
				public void lost(LossNotice notice) {
					if (LeaveErrorTests.this.lossFails.getAndSet(false)) {
						throw new OutOfMemoryError("thrown on purpose");
					}
				}

				@Override
				public void wakeWatchdog() {
				}

			});

	LeaveErrorTests() {
		EngineState.ticksInto(this.engine, new TreeMap<>() {

			@Override
			public Object computeIfAbsent(Object key, Function<? super Object, ?> value) {
				fail("computeIfAbsent");
				return super.computeIfAbsent(key, value);
			}

			@Override
			public Map.Entry<Object, Object> firstEntry() {
				fail("firstEntry");
				return super.firstEntry();
			}

			private void fail(String called) {
				if (LeaveErrorTests.this.ticksFail.compareAndSet(called, "")) {
					throw new OutOfMemoryError("thrown on purpose");
				}
			}

		});
	}

	@ParameterizedTest
	@EnumSource
	void placeOfAWaiterThatCouldNotLeaveEndsAtTheNextLook(LockType type) {
		Waiter first = waiter();
		enter(first, type);
		this.engine.replied(first, ask(first), reply(State.WAITS));

		leaveWithoutMemory(first);
		this.engine.time().look();

		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource
	void holdThatAWaiterCouldNotLeaveIsNotInTheWayOfTheNext(LockType type) {
		Waiter first = waiter();
		enter(first, type);
		AcquireCommand question = ask(first);
		at(1400);
		this.engine.messages().granted("p:lock:a", question.id(), 1500, 100, 100, false);
		assertThat(first.grant).isNull();

		leaveWithoutMemory(first);

		Waiter next = attempt();
		enter(next, type);
		assertThat(ask(next).id()).isNotEqualTo(question.id());
		assertThat(EngineState.pending(this.engine)).isPositive();
	}

	@Test
	void requestThatAWaiterCouldNotLeaveIsNotInTheWayOfTheNext() {
		Waiter first = waiter();
		enter(first, LockType.REENTRANT);
		ask(first);

		leaveWithoutMemory(first);

		Waiter next = waiter();
		enter(next, LockType.REENTRANT);
		assertThat(this.engine.next(next, false)).isInstanceOf(Step.Ask.class);
	}

	@Test
	void waiterThatCouldNotLeaveAndGotTheLockGivesItBack() {
		Waiter first = holder(new HandleOwner());

		this.engine.abandon(first);
		this.engine.time().look();

		assertNothingIsLeft();
	}

	@Test
	void grantThatCouldNotBeGivenBackTwiceIsGivenBackAtALaterLook() {
		Waiter first = holder(new HandleOwner());
		this.outOfMemory.set(2);

		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.engine.release(first.grant));
		this.engine.abandon(first.grant);
		assertThat(this.engine.time().look().failure()).isInstanceOf(OutOfMemoryError.class);
		at(200);
		this.engine.time().look();

		assertNothingIsLeft();
	}

	@Test
	void releaseThatItsCallerCouldNotSendIsSentAtTheNextLook() {
		Waiter first = holder(new HandleOwner());

		assertThat(this.engine.release(first.grant).release()).isNotNull();
		this.engine.abandon(first.grant);
		this.engine.time().look();

		assertNothingIsLeft();
	}

	@Test
	void releaseOfWhichItsCallerCouldNotSayWhatCameIsSentAgainAtTheNextLook() {
		Waiter first = holder(new HandleOwner());

		this.engine.abandon(this.engine.release(first.grant).release());
		this.engine.time().look();

		assertNothingIsLeft();
	}

	@Test
	void releaseThatNobodySendsIsNotInTheWayOfTheNextForLong() {
		Waiter first = holder(new HandleOwner());
		assertThat(this.engine.release(first.grant).release()).isNotNull();

		at(1500);

		enter(attempt(), LockType.REENTRANT);
	}

	@Test
	void placeThatItsCallerCouldNotGiveUpIsGivenUpAtTheNextLook() {
		Waiter first = waiter();
		enter(first, LockType.FAIR);
		this.engine.replied(first, ask(first), reply(State.WAITS));

		assertThat(this.engine.leave(first).release()).isNotNull();
		this.engine.abandon(first);
		this.engine.time().look();

		assertNothingIsLeft();
	}

	@Test
	void questionOfAFairWaiterThatCouldNotLeaveIsReleasedAtTheNextLook() {
		Waiter first = waiter();
		enter(first, LockType.FAIR);
		ask(first);

		leaveWithoutMemory(first);
		this.engine.time().look();

		assertThat(EngineState.names(this.engine)).isEmpty();
		assertThat(EngineState.pending(this.engine)).isPositive();
	}

	@Test
	void threadOwesNothingOfALostGrantThatItCouldNotGiveBack() {
		Waiter first = new Waiter(Thread.currentThread(), WATCHED, TimeUnit.SECONDS.toNanos(10), 0,
				QueueEntryTests.NOBODY);
		enter(first, LockType.REENTRANT);
		AcquireCommand question = ask(first);
		this.engine.replied(first, question, reply(State.HOLDS));

		this.engine.abandon(first.grant);
		this.engine.messages().forced("p:lock:a", question.id());

		assertThat(first.grant.loss()).isNotNull();
		assertThat(this.engine.loss("a", Thread.currentThread())).isNull();
	}

	@Test
	void holdOfALossThatCouldNotBeToldIsNotPassedOn() {
		Waiter first = waiter();
		enter(first, LockType.REENTRANT);
		AcquireCommand question = ask(first);
		this.engine.replied(first, question, reply(State.HOLDS));
		Waiter next = waiter();
		enter(next, LockType.REENTRANT);

		this.engine.abandon(first.grant);
		this.lossFails.set(true);
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> this.engine.messages().forced("p:lock:a", question.id()));
		this.engine.time().look();

		assertThat(next.grant).isNull();
	}

	@Test
	void threadThatCouldNotGiveBackTwiceOwesNoMoreThanItHad() {
		Thread owner = Thread.currentThread();
		Waiter first = holder(owner);

		this.engine.abandon(first.grant);
		this.engine.abandon(first.grant);

		assertThat(this.engine.grant("a", owner)).isNull();
		assertThat(this.engine.reentry().enter("a", owner, WATCHED)).as("one that is still to be given back").isNull();
		this.engine.time().look();
		assertNothingIsLeft();
	}

	@Test
	void secondReleaseOfAGrantThatIsOnItsWayOutChangesNothing() {
		Waiter first = holder(new HandleOwner());
		Waiter next = waiter();
		enter(next, LockType.REENTRANT);
		Grant grant = first.grant;
		this.engine.abandon(grant);
		this.engine.time().look();
		assertThat(next.grant).isNotNull();

		assertThat(this.engine.release(grant).release()).isNull();

		assertThat(next.grant.isValid(this.clock.get())).isTrue();
	}

	@Test
	void grantThatTheWatchdogHasNoMemoryToGiveBackIsGivenBackAtALaterLook() {
		Waiter first = holder(new HandleOwner());
		this.engine.abandon(first.grant);
		at(600);
		this.ticksFail.set("computeIfAbsent");

		assertThat(this.engine.time().look().failure()).isInstanceOf(OutOfMemoryError.class);
		at(800);
		this.engine.time().look();

		assertNothingIsLeft();
	}

	@Test
	void lookThatHasNoMemoryToBeginForgetsNothing() {
		Waiter first = holder(new HandleOwner());
		this.engine.abandon(first.grant);
		this.ticksFail.set("firstEntry");

		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.engine.time().look());
		this.engine.time().look();

		assertNothingIsLeft();
	}

	@Test
	void outerAcquisitionsStayThatWereNotToBeGivenBack() {
		Waiter first = holder(Thread.currentThread());
		assertThat(this.engine.reentry().enter("a", Thread.currentThread(), WATCHED)).isSameAs(first.grant);

		this.engine.abandon(first.grant);
		this.engine.time().look();

		assertThat(first.grant.isValid(this.clock.get())).isTrue();
		assertThat(this.engine.reentry().leave(first.grant)).as("one of several").isFalse();
	}

	private void assertNothingIsLeft() {
		assertThat(EngineState.names(this.engine)).isEmpty();
		assertThat(EngineState.pending(this.engine)).isEqualTo(1);
		assertThat(EngineResidue.isScheduled(this.engine)).isFalse();
	}

	/**
	 * As a caller does: again when the first time has failed.
	 */
	private void leaveWithoutMemory(Waiter leaving) {
		this.outOfMemory.set(2);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.engine.leave(leaving));
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.engine.leave(leaving));
		this.engine.abandon(leaving);
	}

	private Waiter holder(Object owner) {
		Waiter first = waiter(owner);
		enter(first, LockType.REENTRANT);
		this.engine.replied(first, ask(first), reply(State.HOLDS));
		return first;
	}

	private void enter(Waiter waiter, LockType type) {
		assertThat(this.engine.enter("a", type, waiter)).isInstanceOf(Entrance.Joined.class);
	}

	private AcquireCommand ask(Waiter asker) {
		return ((Step.Ask) this.engine.next(asker, false)).command();
	}

	private void at(long millis) {
		this.clock.set(TimeUnit.MILLISECONDS.toNanos(millis));
	}

	private static LockReply reply(State state) {
		return new LockReply(state, 1500, 100, 110, false, 0, "-", 2, 0);
	}

	private Waiter attempt() {
		return new Waiter(new HandleOwner(), WATCHED, 0, this.clock.get(), QueueEntryTests.NOBODY);
	}

	private Waiter waiter() {
		return waiter(new HandleOwner());
	}

	private Waiter waiter(Object owner) {
		return new Waiter(owner, WATCHED, TimeUnit.SECONDS.toNanos(10), this.clock.get(), QueueEntryTests.NOBODY);
	}

}
