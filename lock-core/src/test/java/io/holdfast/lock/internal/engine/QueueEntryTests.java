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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.Renewal;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What one request of the engine does in orders that no server brings about at will.
 */
class QueueEntryTests {

	static final Waiter.Caller NOBODY = () -> {
	};

	private static final String KEY = "p:lock:a";

	private static final LeaseSpec WATCHED = new LeaseSpec(1500, true);

	private final AtomicLong clock = new AtomicLong();

	private final PendingReleases pending = new PendingReleases(this.clock::get, (key) -> "");

	private final List<LockLoss> losses = new ArrayList<>();

	private final List<Throwable> failures = new ArrayList<>();

	private final AtomicReference<Error> failure = new AtomicReference<>();

	private final LockEngine engine = engine(true);

	private final Waiter waiter = waiter(new LeaseSpec(500, false));

	@Test
	void lateMessageOfAnEarlierHoldDoesNotGiveTheNextOneAnOldToken() {
		enter(this.waiter, LockType.REENTRANT);
		// Held from some moment on for 500 ms with the token 100; the answer is late.
		AcquireCommand first = ask(this.waiter);
		at(500);
		this.engine.failed(this.waiter, first, timedOut());
		// Others held with 150. Now it holds with 200; the answer is late.
		at(1200);
		AcquireCommand again = ask(this.waiter);
		assertThat(again.id()).isEqualTo(first.id());
		at(1350);
		this.engine.messages().granted(KEY, again.id(), 500, 100, 100, false);
		assertThat(this.waiter.grant).isNull();
		this.engine.failed(this.waiter, again, timedOut());

		Renewal confirmation = confirm(this.waiter);
		at(1352);
		this.engine.confirmed(this.waiter, confirmation, new Outcome<>(holds(500, 200, 200, 1351), null));

		assertThat(this.waiter.grant.token()).isEqualTo(200);
	}

	@Test
	void leaseThatIsTooShortIsNotUsedUnlessAnAnswerSaysThatItWasProlonged() {
		grantedByMessage(this.waiter, 500, 100);

		this.engine.confirmed(this.waiter, confirm(this.waiter), failed());
		assertThat(this.waiter.grant).isNull();

		at(210);
		this.engine.confirmed(this.waiter, confirm(this.waiter), new Outcome<>(holds(500, 100, 100, 210), null));
		assertThat(this.waiter.grant.isValid(this.clock.get())).isTrue();
	}

	@Test
	void ownerBelievesNoLongerInAnExplicitLeaseThanItAskedFor() {
		grantedByMessage(this.waiter, 500, 100);

		this.engine.confirmed(this.waiter, confirm(this.waiter), new Outcome<>(holds(6000, 100, 100, 100), null));

		assertThat(this.waiter.grant.deadlineNanos()).isEqualTo(millis(600));
	}

	@Test
	void renewalOfAPlaceProlongsNothingIfTheFirstWaiterHasAnExplicitLease() {
		enter(this.waiter, LockType.REENTRANT);
		this.engine.replied(this.waiter, ask(this.waiter), waits());
		at(600);

		assertThat(this.engine.time().look().renewals()).singleElement()
			.extracting((due) -> due.renewal().prolongs())
			.isEqualTo(false);
	}

	@Test
	void watchedLeaseIsUsedWithoutAnAnswer() {
		Waiter next = waiter(WATCHED);
		grantedByMessage(next, 1500, 1100);

		this.engine.confirmed(next, confirm(next), failed());

		assertThat(next.grant.isValid(this.clock.get())).isTrue();
	}

	@Test
	void watchedLeaseThatWasEndedByForceIsNotUsed() {
		Waiter next = waiter(WATCHED);
		String id = grantedByMessage(next, 1500, 1100);
		Renewal confirmation = confirm(next);
		this.engine.messages().forced(KEY, id);

		this.engine.confirmed(next, confirmation, failed());

		assertThat(next.grant).isNull();
		assertThat(this.losses).isEmpty();
	}

	@Test
	void questionThatFailsAfterItsGrantCameByMessageMayStillBeCarriedOut() {
		Waiter watched = waiter(WATCHED);
		enter(watched, LockType.REENTRANT);
		AcquireCommand question = ask(watched);
		this.engine.messages().granted(KEY, question.id(), 1500, 100, 100, false);

		this.engine.failed(watched, question, timedOut());

		assertThat(watched.grant.isValid(this.clock.get())).isTrue();
		this.engine.release(watched.grant);
		assertThat(this.pending.size()).isEqualTo(1);
	}

	@Test
	void questionThatWasNotSentLeavesNothingPending() {
		enter(this.waiter, LockType.REENTRANT);
		this.engine.failed(this.waiter, ask(this.waiter),
				new LockServerException("a", Reason.UNREACHABLE, "refused", null));

		assertThat(this.engine.leave(this.waiter).release()).isNull();

		assertThat(this.pending.size()).isZero();
		assertThat(EngineState.names(this.engine)).isEmpty();
	}

	@Test
	void grantWithALargerTokenEndsTheOlderOneOfTheSameName() {
		Waiter older = waiter(new LeaseSpec(60_000, false));
		enter(older, LockType.FAIR);
		this.engine.replied(older, ask(older), holds(60_000, 100, 100, 0));
		Waiter younger = waiter(WATCHED);
		enter(younger, LockType.REENTRANT);

		this.engine.replied(younger, ask(younger), holds(1500, 200, 200, 0));

		assertThat(younger.grant.isValid(this.clock.get())).isTrue();
		assertThat(older.grant.isValid(this.clock.get())).isFalse();
		assertThat(this.losses).singleElement().extracting(LockLoss::token).isEqualTo(100L);
	}

	@Test
	void messagesThatWereMissedDuringAQuestionMakeItAskAgainAtOnce() {
		enter(this.waiter, LockType.REENTRANT);
		AcquireCommand question = ask(this.waiter);
		this.engine.messages().missedMessages();
		this.engine.time().look();

		this.engine.replied(this.waiter, question, waits());

		assertThat(this.engine.next(this.waiter, false)).isInstanceOf(Step.Ask.class);
	}

	@Test
	void holdOfThisClientIsKnownHoweverLongTheServerIsSilent() {
		for (LockType type : LockType.values()) {
			Waiter owner = waiter(WATCHED);
			enter(owner, type);
			this.engine.replied(owner, ask(owner), holds(60_000, 100, 110, TimeUnit.NANOSECONDS.toMillis(now())));
			Waiter behind = new Waiter(new HandleOwner(), WATCHED, millis(2000), now(), NOBODY);
			enter(behind, type);
			for (int i = 0; i < 20; i++) {
				at(TimeUnit.NANOSECONDS.toMillis(now()) + 100);
				if (this.engine.next(behind, false) instanceof Step.Ask ask) {
					this.engine.failed(behind, ask.command(), timedOut());
				}
				this.engine.time()
					.look()
					.renewals()
					.forEach((due) -> this.engine.time().renewalFailed(due, timedOut()));
			}

			Waiter attempt = new Waiter(new HandleOwner(), WATCHED, 0, now(), NOBODY);
			assertThat(this.engine.enter("a", type, attempt)).isEqualTo(new Entrance.Refused(null));
			assertThat(this.engine.next(behind, false)).isInstanceOf(Step.Leave.class);
			assertThat(this.engine.leave(behind).reason()).isNull();
			this.engine.release(owner.grant);
			at(TimeUnit.NANOSECONDS.toMillis(now()) + 200_000);
			this.engine.time().look();
		}
	}

	@Test
	void fairAttemptAsksForItselfAlthoughASharedRequestFailed() {
		Waiter shared = waiter(WATCHED);
		enter(shared, LockType.REENTRANT);
		this.engine.failed(shared, ask(shared), timedOut());
		Waiter attempt = new Waiter(new HandleOwner(), WATCHED, 0, now(), NOBODY);

		enter(attempt, LockType.FAIR);

		assertThat(this.engine.next(attempt, false)).isInstanceOf(Step.Ask.class);
	}

	@Test
	void attemptBehindAPlaceWhoseServerIsSilentFails() {
		Waiter first = waiter(WATCHED);
		enter(first, LockType.REENTRANT);
		this.engine.replied(first, ask(first), waits());
		at(600);
		assertThat(this.engine.time().look().renewals()).hasSize(1);
		at(2200);

		Waiter attempt = new Waiter(new HandleOwner(), WATCHED, 0, now(), NOBODY);

		assertThat(this.engine.enter("a", LockType.REENTRANT, attempt)).isInstanceOfSatisfying(Entrance.Refused.class,
				(refused) -> assertThat(refused.failure()).isNotNull());
	}

	@Test
	void closedClientLeavesALockToItsOwnerWhoHadToAskTwice() {
		enter(this.waiter, LockType.REENTRANT);
		this.engine.failed(this.waiter, ask(this.waiter), timedOut());
		at(200);
		this.engine.replied(this.waiter, ask(this.waiter), holds(1500, 100, 100, 200));
		assertThat(this.waiter.grant).isNotNull();

		this.engine.close();

		assertThat(this.pending.unanswered()).isZero();
	}

	@Test
	void timedOutWaiterSleepsUntilTheFirstQuestionIsAnswered() {
		enter(this.waiter, LockType.REENTRANT);
		AcquireCommand question = ask(this.waiter);
		AtomicInteger woken = new AtomicInteger();
		Waiter behind = new Waiter(new HandleOwner(), WATCHED, millis(1), 0, woken::incrementAndGet);
		enter(behind, LockType.REENTRANT);
		at(1);

		assertThat(this.engine.next(behind, false)).isEqualTo(new Step.Sleep(millis(1000)));
		this.engine.replied(this.waiter, question, waits());

		assertThat(woken).hasPositiveValue();
		assertThat(this.engine.next(behind, false)).isInstanceOf(Step.Leave.class);
		assertThat(this.engine.leave(behind).reason()).isNull();
	}

	@Test
	void splitVotesAreNoLockOfAnotherForAWaiterBehindTheFirst() {
		LockEngine quorum = engine(false);
		quorum.enter("a", LockType.REENTRANT, this.waiter);
		Waiter behind = new Waiter(new HandleOwner(), WATCHED, millis(1), 0, NOBODY);
		quorum.enter("a", LockType.REENTRANT, behind);
		at(1);
		for (int i = 0; i < 3; i++) {
			AcquireCommand question = ((Step.Ask) quorum.next(this.waiter, false)).command();
			assertThat(quorum.next(behind, false)).isInstanceOf(Step.Sleep.class);
			quorum.replied(this.waiter, question, new LockReply(State.SPLIT, 0, 0, 0, false, 0, 1, 0));
			at(TimeUnit.NANOSECONDS.toMillis(now()) + 50);
		}

		assertThat(quorum.next(behind, false)).isInstanceOf(Step.Leave.class);
		assertThat(quorum.leave(behind).reason()).extracting(LockServerException::reason).isEqualTo(Reason.UNAVAILABLE);
	}

	@Test
	void waitersEndTogetherWhenNothingWasAnsweredForTheWaiterTimeout() {
		Waiter last = waiter(WATCHED);
		enter(this.waiter, LockType.REENTRANT);
		enter(last, LockType.REENTRANT);
		this.engine.failed(this.waiter, ask(this.waiter), timedOut());
		assertThat(this.engine.next(last, false)).isInstanceOf(Step.Sleep.class);

		at(1500);

		assertThat(this.engine.next(this.waiter, false)).isInstanceOf(Step.Leave.class);
		assertThat(this.engine.next(last, false)).isInstanceOf(Step.Leave.class);
		assertThat(this.engine.leave(last).reason()).isNotNull();
	}

	@Test
	void explicitLeaseThatHasEndedIsAsIfItHadNotBeen() {
		Waiter first = waiter(new LeaseSpec(100, false));
		enter(first, LockType.REENTRANT);
		this.engine.replied(first, ask(first), holds(100, 100, 100, 0));
		at(200);
		this.engine.time().look();

		assertThat(EngineState.names(this.engine)).isEmpty();
		assertThat(this.pending.size()).isZero();
	}

	@Test
	void watchedReentryIsRenewedLongBeforeTheEndOfTheOuterLease() {
		Thread owner = Thread.currentThread();
		Waiter outer = new Waiter(owner, new LeaseSpec(60_000, false), 0, 0, NOBODY);
		enter(outer, LockType.REENTRANT);
		this.engine.replied(outer, ask(outer), holds(60_000, 100, 100, 0));
		at(1000);
		Waiter inner = new Waiter(owner, WATCHED, 0, this.clock.get(), NOBODY);
		Entrance.Reentered entrance = (Entrance.Reentered) this.engine.enter("a", LockType.REENTRANT, inner);

		this.engine.reentry().reentered(inner, entrance.grant(), holds(59_000, 100, 100, 1000));

		at(21_000);
		assertThat(this.engine.time().look().renewals()).hasSize(1);
	}

	@Test
	void holdWhoseLongerLeaseGotNoAnswerIsReleasedWhenTheShorterOneEnds() {
		Thread owner = Thread.currentThread();
		Waiter outer = new Waiter(owner, new LeaseSpec(5000, false), 0, 0, NOBODY);
		enter(outer, LockType.REENTRANT);
		this.engine.replied(outer, ask(outer), holds(5000, 100, 100, 0));
		at(4900);
		Waiter inner = new Waiter(owner, new LeaseSpec(3_600_000, false), 0, this.clock.get(), NOBODY);
		assertThat(this.engine.enter("a", LockType.REENTRANT, inner)).isInstanceOf(Entrance.Reentered.class);

		at(5100);
		this.engine.time().look();

		assertThat(this.losses).hasSize(1);
		assertThat(this.pending.size()).isEqualTo(1);
	}

	@Test
	void reentryOfAGrantThatWasGivenBackMeanwhileDoesNotCount() {
		Thread owner = Thread.currentThread();
		Waiter outer = new Waiter(owner, WATCHED, 0, 0, NOBODY);
		enter(outer, LockType.REENTRANT);
		this.engine.replied(outer, ask(outer), holds(1500, 100, 100, 0));
		Waiter inner = new Waiter(owner, new LeaseSpec(3_600_000, false), 0, this.clock.get(), NOBODY);
		Entrance.Reentered entrance = (Entrance.Reentered) this.engine.enter("a", LockType.REENTRANT, inner);
		this.engine.release(entrance.grant());

		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> this.engine.reentry()
			.reentered(inner, entrance.grant(), holds(3_600_000, 100, 100, this.clock.get())));
	}

	@Test
	void callersGoOnBehindAReleaseOfWhichNobodySaysWhatCameOfIt() {
		Waiter first = waiter(WATCHED);
		enter(first, LockType.REENTRANT);
		this.engine.replied(first, ask(first), holds(1500, 100, 100, 0));
		Waiter next = waiter(WATCHED);
		this.engine.release(first.grant);
		enter(next, LockType.REENTRANT);

		at(1600);
		this.engine.time().look();

		assertThat(this.engine.next(next, false)).isInstanceOf(Step.Ask.class);
		assertThat(this.pending.size()).isEqualTo(1);
	}

	@Test
	void errorEndsTheGrantOfItsLockAndWhatItsThreadGivesBackIsReleased() {
		Thread owner = Thread.currentThread();
		Waiter first = new Waiter(owner, WATCHED, 0, 0, NOBODY);
		enter(first, LockType.REENTRANT);
		this.engine.replied(first, ask(first), holds(1500, 100, 100, 0));
		enter(this.waiter, LockType.REENTRANT);
		Error error = new StackOverflowError("thrown on purpose");
		this.failure.set(error);

		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> this.engine.next(this.waiter, false));
		this.failure.set(null);
		this.engine.time().look();

		assertThat(first.grant.isValid(this.clock.get())).isFalse();
		assertThat(this.losses).extracting(LockLoss::cause).containsExactly(LockLoss.Cause.ERROR);
		assertThat(this.failures).containsExactly(error);
		assertThat(this.engine.next(this.waiter, false)).isInstanceOf(Step.Leave.class);
		assertThat(this.engine.leave(this.waiter).reason()).hasCause(error);
		assertThat(EngineState.names(this.engine)).isEmpty();
		assertThat(this.pending.size()).as("an owner may be at work").isZero();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.engine.enter("a", LockType.REENTRANT, waiterOf(owner)));
		assertThat(this.engine.giveBackLost("a", owner)).isNotNull();
		assertThat(this.pending.size()).isEqualTo(1);
		enter(waiterOf(owner), LockType.REENTRANT);
	}

	@Test
	void errorInTheMiddleOfAQuestionHasItReleased() {
		enter(this.waiter, LockType.REENTRANT);
		AcquireCommand question = ask(this.waiter);
		this.failure.set(new StackOverflowError("thrown on purpose"));
		assertThatExceptionOfType(StackOverflowError.class)
			.isThrownBy(() -> this.engine.replied(this.waiter, question, holds(500, 100, 100, 0)));
		this.failure.set(null);

		Waiter next = waiter(WATCHED);
		enter(next, LockType.REENTRANT);

		assertThat(this.pending.size()).isEqualTo(1);
		assertThat(ask(next).id()).isNotEqualTo(question.id());
		this.engine.replied(this.waiter, question, holds(500, 100, 100, 0));
		assertThat(this.waiter.grant).isNull();
		assertThat(this.pending.size()).isEqualTo(2);
	}

	@Test
	void errorThatKeepsALockFromBeingDiscardedBreaksTheClient() {
		enter(this.waiter, LockType.REENTRANT);
		Error error = new OutOfMemoryError("thrown on purpose");
		this.failure.set(error);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.engine.next(this.waiter, false));
		assertThat(this.engine.broken()).isNull();

		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this.engine.time()::look);

		assertThat(this.engine.broken()).isSameAs(error);
		assertThat(this.engine.isClosed()).isTrue();
	}

	@Test
	void renewalThatWasAnsweredIsDueAgainAfterAThirdOfTheLease() {
		Waiter first = waiter(WATCHED);
		enter(first, LockType.REENTRANT);
		this.engine.replied(first, ask(first), holds(1500, 100, 100, 0));
		at(500);
		Look.Due renewal = this.engine.time().look().renewals().get(0);
		at(510);
		assertThat(this.engine.time().look().renewals()).isEmpty();
		this.engine.time().renewed(renewal, holds(1500, 100, 100, 500));

		at(800);
		assertThat(this.engine.time().look().renewals()).isEmpty();
		at(1000);
		assertThat(this.engine.time().look().renewals()).hasSize(1);
	}

	@Test
	void waitThatEndsWhileAnotherHoldsIsNoFailureWhateverComesBeforeItsLeave() {
		Waiter first = waiter(WATCHED);
		enter(first, LockType.REENTRANT);
		AcquireCommand question = ask(first);
		this.engine.replied(first, question, holds(1500, 100, 100, 0));
		Waiter second = new Waiter(new Object(), WATCHED, millis(1), this.clock.get(), NOBODY);
		enter(second, LockType.REENTRANT);
		at(5);
		assertThat(this.engine.next(second, false)).isInstanceOf(Step.Leave.class);

		this.engine.messages().forced(KEY, question.id());

		assertThat(this.engine.leave(second).reason()).isNull();
	}

	@Test
	void waitThatEndsBecauseNoAnswerCameIsNoRefusalAlthoughOneComesBeforeItsLeave() {
		Waiter first = waiter(WATCHED);
		enter(first, LockType.REENTRANT);
		AcquireCommand question = ask(first);
		Waiter second = waiter(WATCHED);
		enter(second, LockType.REENTRANT);
		at(1500);
		assertThat(this.engine.next(second, false)).isInstanceOf(Step.Leave.class);

		this.engine.replied(first, question, waits());

		assertThat(this.engine.leave(second).reason()).isNotNull();
	}

	@Test
	void attemptWhileAnotherCallerHoldsIsNoFailureAlthoughARenewalFailed() {
		Waiter first = waiter(WATCHED);
		enter(first, LockType.REENTRANT);
		this.engine.replied(first, ask(first), holds(1500, 100, 100, 0));
		at(500);
		this.engine.time().renewalFailed(this.engine.time().look().renewals().get(0), timedOut());

		Waiter attempt = new Waiter(new HandleOwner(), WATCHED, 0, this.clock.get(), NOBODY);

		assertThat(this.engine.enter("a", LockType.REENTRANT, attempt)).isEqualTo(new Entrance.Refused(null));
	}

	@Test
	void waitThatEndsWhereTooFewServersConfirmedIsNoRefusal() {
		enter(this.waiter, LockType.REENTRANT);
		this.engine.replied(this.waiter, ask(this.waiter), waits());
		at(9900);
		this.engine.messages().granted(KEY, this.waiter.entry().id(), 500, 200, 200, false);
		LockReply unknown = new LockReply(State.UNKNOWN, 0, 0, 0, false, 0, 0, 0);
		this.engine.confirmed(this.waiter, confirm(this.waiter), new Outcome<>(unknown, null));

		at(10_000);
		assertThat(this.engine.next(this.waiter, false)).isInstanceOf(Step.Leave.class);

		assertThat(this.engine.leave(this.waiter).reason()).isNotNull();
	}

	@Test
	void renewalThatFailedIsTriedAgainAfterAPause() {
		Waiter first = waiter(WATCHED);
		enter(first, LockType.REENTRANT);
		this.engine.replied(first, ask(first), holds(1500, 100, 100, 0));
		at(500);
		Look.Due renewal = this.engine.time().look().renewals().get(0);
		at(510);
		this.engine.time().renewalFailed(renewal, timedOut());

		for (int millis = 510; millis < 610; millis += 5) {
			at(millis);
			assertThat(this.engine.time().look().renewals()).isEmpty();
		}
		at(615);
		assertThat(this.engine.time().look().renewals()).hasSize(1);
	}

	@Test
	void holdThatWasForcedAwayBeforeItsAnswerIsNotUsed() {
		enter(this.waiter, LockType.REENTRANT);
		AcquireCommand question = ask(this.waiter);
		this.engine.messages().forced(KEY, question.id());

		this.engine.replied(this.waiter, question, holds(500, 100, 100, 0));

		assertThat(this.waiter.grant).isNull();
		assertThat(this.pending.size()).isEqualTo(1);
		assertThat(ask(this.waiter).id()).isNotEqualTo(question.id());
	}

	@Test
	void holdThatIsNotBelievedIsReleasedAndTheOlderOneIsAskedFor() {
		Waiter older = waiter(new LeaseSpec(60_000, false));
		enter(older, LockType.REENTRANT);
		this.engine.replied(older, ask(older),
				new LockReply(State.HOLDS, 60_000, 1000, 1000, false, 0, 5000, millis(0)));
		at(100);
		Waiter next = waiter(WATCHED);
		enter(next, LockType.FAIR);
		AcquireCommand question = ask(next);

		// The new master lacks the older hold, and its clock is behind.
		at(110);
		this.engine.replied(next, question, holds(1500, 500, 510, 100));

		assertThat(next.grant).isNull();
		assertThat(this.pending.size()).isOne();
		Look.Due asks = this.engine.time().look().renewals().get(0);
		assertThat(asks.renewal().prolongs()).isFalse();
		at(120);
		this.engine.time().renewed(asks, new LockReply(State.NONE, 0, 0, 0, false, 0, 3, millis(110)));
		assertThat(this.losses).singleElement().extracting(LockLoss::cause).isEqualTo(LockLoss.Cause.GONE);
	}

	@Test
	void requestThatAQuorumRefusedIsNotAskedAgain() {
		LockEngine quorum = engine(false);
		Waiter first = new Waiter(new HandleOwner(), WATCHED, 0, 0, NOBODY);
		quorum.enter("a", LockType.REENTRANT, first);
		AcquireCommand refused = ((Step.Ask) quorum.next(first, false)).command();
		quorum.enter("a", LockType.REENTRANT, this.waiter);
		quorum.replied(first, refused, new LockReply(State.NONE, 1500, 0, 110, false, 0, 1, 0));
		quorum.leave(first);

		AcquireCommand next = ((Step.Ask) quorum.next(this.waiter, false)).command();

		assertThat(next.id()).isNotEqualTo(refused.id());
	}

	private LockEngine engine(boolean queues) {
		return new LockEngine(new EngineSettings(Duration.ofMillis(1500), Duration.ofMillis(1500), 10, queues),
				new LockKeys("p:"), this.pending, new EngineHost() {

					@Override
					public long nanoTime() {
						Error thrown = QueueEntryTests.this.failure.get();
						if (thrown != null) {
							throw thrown;
						}
						return QueueEntryTests.this.clock.get();
					}

					@Override
					public boolean hearsMessages() {
						return true;
					}

					@Override
					public void lost(LossNotice notice) {
						QueueEntryTests.this.losses.add(notice.loss());
					}

					@Override
					public void failed(Throwable thrown) {
						QueueEntryTests.this.failures.add(thrown);
					}

					@Override
					public void wakeWatchdog() {
					}

				});
	}

	/**
	 * Lets the message of a grant come when too little of it is left to use it as it is.
	 */
	private String grantedByMessage(Waiter first, long leftMillis, long atMillis) {
		enter(first, LockType.REENTRANT);
		AcquireCommand question = ask(first);
		at(atMillis);
		this.engine.messages().granted(KEY, question.id(), leftMillis, 100, 100, false);
		assertThat(first.grant).isNull();
		this.engine.failed(first, question, new LockServerException("a", Reason.UNREACHABLE, "refused", null));
		return question.id();
	}

	private long now() {
		return this.clock.get();
	}

	private void at(long millis) {
		this.clock.set(millis(millis));
	}

	private Waiter waiter(LeaseSpec lease) {
		return new Waiter(new HandleOwner(), lease, millis(10_000), this.clock.get(), NOBODY);
	}

	private Waiter waiterOf(Thread owner) {
		return new Waiter(owner, WATCHED, 0, this.clock.get(), NOBODY);
	}

	private void enter(Waiter entering, LockType type) {
		assertThat(this.engine.enter("a", type, entering)).isInstanceOf(Entrance.Joined.class);
	}

	private AcquireCommand ask(Waiter asker) {
		return ((Step.Ask) this.engine.next(asker, false)).command();
	}

	private Renewal confirm(Waiter first) {
		return ((Step.Confirm) this.engine.next(first, false)).renewal();
	}

	private static LockReply holds(long leftMillis, long token, long last, long sentMillis) {
		return new LockReply(State.HOLDS, leftMillis, token, last, false, 0, 2, millis(sentMillis));
	}

	private static LockReply waits() {
		return new LockReply(State.WAITS, 1500, 0, 110, true, 0, 1, 0);
	}

	private static Outcome<LockReply> failed() {
		return new Outcome<>(null, timedOut());
	}

	private static LockServerException timedOut() {
		return new LockServerException("a", Reason.TIMED_OUT, "no answer", new IOException());
	}

	private static long millis(long millis) {
		return TimeUnit.MILLISECONDS.toNanos(millis);
	}

}
