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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.Wish;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a request sends when.
 */
class RequestTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private final Context context = new Context(
			new Context.Settings(30_000, 10 * SECOND, SECOND, 5 * SECOND, 0, true, 0), (name) -> name, () -> "id",
			() -> 0);

	private final LockTable table = new LockTable(this.context);

	@Test
	void questionWithoutAnOutcomeIsNotAskedAgainForNobody() {
		Waiter waiter = waiter(Wish.exclusive(false), 30_000, true, 2 * SECOND);
		Command question = commands(this.table.want("order", waiter, 0)).get(0);
		LockState order = this.table.of("order");
		order.failed(question, new LockServerException("order", Reason.TIMED_OUT, "No answer", null), 0, SECOND);
		assertThat(due(3 * SECOND / 2)).hasOnlyElementsOfType(Command.Ask.class);
		assertThat(commands(order.timeUp(waiter, false, 2 * SECOND))).isEmpty();
		assertThat(waiter.outcome()).isInstanceOf(Verdict.Failed.class);

		assertThat(due(10 * SECOND)).hasOnlyElementsOfType(Command.Release.class);
	}

	@Test
	void silenceOfTheServerDoesNotCountWhileThisProcessIsStopped() {
		Waiter waiter = waiter(Wish.exclusive(true), 30_000, true, 99 * SECOND);
		Command question = commands(this.table.want("order", waiter, 0)).get(0);
		LockState order = this.table.of("order");
		order.answered(question, new Reply(Word.WAITS, 1000, 0, 1, false, 0, null), SECOND / 100);
		assertThat(due(4 * SECOND)).hasSize(1);

		Command again = due(60 * SECOND).get(0);

		assertThat(waiter.outcome()).isNull();
		order.failed(again, new LockServerException("order", Reason.TIMED_OUT, "No answer", null), 60 * SECOND,
				70 * SECOND);
		assertThat(waiter.outcome()).isInstanceOf(Verdict.Failed.class);
	}

	@Test
	void placeThatALateAnswerToldOfMayBeGoneAndTheQueueFull() {
		Waiter waiter = waiter(new Wish(LockMode.EXCLUSIVE, false, 1), 30_000, true, 99 * SECOND);
		Command question = commands(this.table.want("order", waiter, 0)).get(0);
		LockState order = this.table.of("order");
		Command again = due(5 * SECOND).get(0);

		order.answered(question, new Reply(Word.WAITS, 1000, 0, 1, false, 0, null), 5 * SECOND);
		order.answered(again, new Reply(Word.FULL, 0, 0, 3, false, 5 * SECOND, null), 6 * SECOND);

		assertThat(waiter.outcome()).isEqualTo(new Verdict.Full(3));
	}

	@Test
	void holdWhoseLeaseMayBeOverIsProvedAndNotGivenUp() {
		Waiter waiter = waiter(Wish.exclusive(true), 60, false, 9 * SECOND);
		Command question = commands(this.table.want("order", waiter, 0)).get(0);
		LockState order = this.table.of("order");
		order.answered(question, new Reply(Word.WAITS, 1000, 0, 1, false, 0, null), SECOND / 100);

		List<Command> proof = commands(order.granted("id", held(0), SECOND));

		assertThat(proof).singleElement().isInstanceOf(Command.Renew.class);
		assertThat(waiter.outcome()).isNull();
		order.answered(proof.get(0), held(SECOND), SECOND + SECOND / 100);
		assertThat(waiter.outcome()).isInstanceOf(Verdict.Granted.class);
	}

	@Test
	void holdIsGivenUpWhenItsProofComesTooLate() {
		Waiter waiter = waiter(Wish.exclusive(true), 60, false, 9 * SECOND);
		Command question = commands(this.table.want("order", waiter, 0)).get(0);
		LockState order = this.table.of("order");
		Command proof = commands(order.answered(question, held(0), SECOND)).get(0);

		assertThat(commands(order.answered(proof, held(SECOND), 2 * SECOND))).singleElement()
			.isInstanceOf(Command.Release.class);
		assertThat(waiter.outcome()).isNull();
	}

	@Test
	void signOfLifeThatArrivesAfterTheGrantMakesNoLeaseLonger() {
		Waiter waiter = waiter(Wish.exclusive(true), 60, false, 99 * SECOND);
		Command question = commands(this.table.want("order", waiter, 0)).get(0);
		LockState order = this.table.of("order");
		order.answered(question, new Reply(Word.WAITS, 1000, 0, 1, false, 0, null), SECOND / 100);
		Command.Renew sign = (Command.Renew) due(4 * SECOND).get(0);
		Command.Renew proof = (Command.Renew) commands(order.granted("id", held(0), 4 * SECOND)).get(0);

		assertThat(sign.leaseMillis()).isEqualTo(1);
		assertThat(commands(order.answered(sign, held(4 * SECOND), 4 * SECOND))).isEmpty();
		assertThat(waiter.outcome()).as("outcome while the proof is under way").isNull();
		order.answered(proof, held(4 * SECOND), 4 * SECOND);
		assertThat(waiter.outcome()).isInstanceOf(Verdict.Granted.class);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void holdThatIsOverDoesNotComeBack(boolean renewedBefore) {
		Waiter waiter = waiter(Wish.exclusive(false), 30_000, true, SECOND);
		Command question = commands(this.table.want("order", waiter, 0)).get(0);
		LockState order = this.table.of("order");
		order.answered(question, whole(0), 0);
		Grant grant = ((Verdict.Granted) waiter.outcome()).grant();
		long over = grant.untilNanos();
		if (renewedBefore) {
			Command renewal = due(over / 2).get(0);

			assertThat(grant.isValid(over)).isFalse();
			order.answered(renewal, whole(over / 2), over);
		}
		else {
			assertThat(due(over)).doesNotHaveAnyElementsOfTypes(Command.Renew.class);
		}

		assertThat(grant.loss()).isEqualTo(Cause.EXPIRED);
		assertThat(grant.isValid(over)).isFalse();
	}

	@Test
	void ownerThatUnlocksLeavesNoTimer() {
		Waiter waiter = waiter(Wish.exclusive(false), 30_000, true, SECOND, 3600 * SECOND);
		Command question = commands(this.table.want("order", waiter, 0)).get(0);
		LockState order = this.table.of("order");
		order.answered(question, whole(0), 0);
		Grant grant = ((Verdict.Granted) waiter.outcome()).grant();

		order.unlock(grant, false, SECOND);

		assertThat(this.context.timers().isEmpty()).isTrue();
	}

	@Test
	void holdOfAnOwnerThatHadItForTooLongIsNotRenewedAndReleasedWhenItUnlocks() {
		Waiter waiter = waiter(Wish.exclusive(false), 30_000, true, SECOND, 15 * SECOND);
		Command question = commands(this.table.want("order", waiter, 0)).get(0);
		LockState order = this.table.of("order");
		order.answered(question, whole(0), 0);
		Grant grant = ((Verdict.Granted) waiter.outcome()).grant();
		Command renewal = due(10 * SECOND).get(0);
		order.answered(renewal, whole(10 * SECOND), 10 * SECOND);

		assertThat(due(16 * SECOND)).isEmpty();
		assertThat(grant.loss()).isEqualTo(Cause.MAX_HOLD);
		order.answered(renewal, whole(10 * SECOND), 17 * SECOND);
		assertThat(due(100 * SECOND)).isEmpty();

		assertThat(commands(order.unlock(grant, false, 100 * SECOND))).hasOnlyElementsOfType(Command.Release.class);
		assertThat(this.table.all()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(names = { "UNREACHABLE", "UNAVAILABLE" })
	void renewalsPauseEverLongerWhileTheServerIsAwayAndStillInTime(Reason reason) {
		Waiter waiter = waiter(Wish.exclusive(false), 30_000, true, SECOND);
		Command question = commands(this.table.want("order", waiter, 0)).get(0);
		LockState order = this.table.of("order");
		order.answered(question, whole(0), 0);

		List<Long> sent = failures(order, reason, 30 * SECOND);

		assertThat(sent).hasSizeBetween(12, 40);
		assertThat(sent).filteredOn((at) -> at < 24 * SECOND).hasSizeLessThan(16);
		assertThat(sent).filteredOn((at) -> at > 28 * SECOND).hasSizeGreaterThan(3);
	}

	@Test
	void releaseIsTriedForAsLongAsAHoldMayLastOfWhichNoAnswerTold() {
		Waiter waiter = waiter(Wish.exclusive(false), 1_200_000, false, 2 * SECOND);
		Command question = commands(this.table.want("order", waiter, 0)).get(0);
		LockState order = this.table.of("order");
		order.failed(question, new LockServerException("order", Reason.TIMED_OUT, "No answer", null), 0, SECOND);
		order.timeUp(waiter, false, 2 * SECOND);
		assertThat(due(10 * SECOND)).hasOnlyElementsOfType(Command.Release.class);

		assertThat(this.context.owed().due(1200 * SECOND, 10)).hasSize(1);
		assertThat(this.context.owed().due(1300 * SECOND, 10)).isEmpty();
		assertThat(this.context.owed().size()).isZero();
	}

	@Test
	void releaseOfAKnownHoldIsTriedForAsLongAsItMayLast() {
		Waiter waiter = waiter(Wish.exclusive(false), 1_200_000, false, 2 * SECOND);
		Command question = commands(this.table.want("order", waiter, 0)).get(0);
		LockState order = this.table.of("order");
		order.answered(question, new Reply(Word.HOLDS, 1_200_000, 1, 1, false, 0, null), 0);
		Grant grant = ((Verdict.Granted) waiter.outcome()).grant();
		Command release = commands(order.unlock(grant, false, SECOND)).get(0);
		order.failed(release, new LockServerException("order", Reason.UNREACHABLE, "No server", null), SECOND, SECOND);

		assertThat(this.context.owed().due(1190 * SECOND, 10)).hasSize(1);
		assertThat(this.context.owed().due(1300 * SECOND, 10)).isEmpty();
	}

	@Test
	void renewalThatIsAnsweredLateIsNotSentOverAndOver() {
		Waiter waiter = waiter(Wish.exclusive(false), 30_000, true, SECOND);
		Command question = commands(this.table.want("order", waiter, 0)).get(0);
		LockState order = this.table.of("order");
		order.answered(question, whole(0), 0);
		Command first = due(11 * SECOND).get(0);
		assertThat(due(14 * SECOND)).as("sent again, as nobody answers").hasSize(1);

		order.answered(first, whole(11 * SECOND), 15 * SECOND);

		assertThat(due(19 * SECOND)).isEmpty();
		assertThat(due(30 * SECOND)).hasOnlyElementsOfType(Command.Renew.class);
	}

	/**
	 * Has each command fail at once.
	 * @return when they were sent
	 */
	private List<Long> failures(LockState order, Reason reason, long until) {
		List<Long> sent = new ArrayList<>();
		for (long now = 0; now < until; now += SECOND / 100) {
			for (Command command : due(now)) {
				sent.add(now);
				order.failed(command, new LockServerException("order", reason, "LOADING, or no connection", null), now,
						now);
			}
		}
		return sent;
	}

	private Waiter waiter(Wish wish, long leaseMillis, boolean watched, long waitNanos) {
		return waiter(wish, leaseMillis, watched, waitNanos, 0);
	}

	private Waiter waiter(Wish wish, long leaseMillis, boolean watched, long waitNanos, long maxHoldNanos) {
		return new Waiter(new Object(), wish, leaseMillis, watched, 0, waitNanos, maxHoldNanos) {

			@Override
			public void wake() {
			}

		};
	}

	/**
	 * The first question may be withdrawn when its poll ends, from servers that granted
	 * the second one.
	 */
	@Test
	void questionWithoutAnOutcomeIsAnotherRequestsWhereThereIsNoQueue() {
		Engine quorum = new Engine();
		Command first = quorum.want(9 * SECOND).get(0);

		List<Command> after = quorum.due(3 * SECOND);

		assertThat(after).hasSize(2);
		assertThat(after.get(0)).isInstanceOf(Command.Release.class).extracting(Command::id).isEqualTo(first.id());
		assertThat(after.get(1)).isInstanceOf(Command.Ask.class).extracting(Command::id).isNotEqualTo(first.id());
	}

	@Test
	void attemptsPauseForUpToHalfASecondWhereThereIsNoMajority() {
		Engine quorum = new Engine();
		List<Command> commands = quorum.want(99 * SECOND);
		int attempts = 0;

		for (long now = 0; now < 9 * SECOND; now += SECOND / 100) {
			for (Command command : commands) {
				attempts += (command instanceof Command.Ask) ? 1 : 0;
				quorum.order()
					.failed(command, new LockServerException("order", Reason.UNREACHABLE, "No server", null), now, now);
			}
			commands = quorum.due(now);
		}

		assertThat(attempts).isBetween(16, 30);
	}

	@Test
	void pausesAfterSplitVotesStayRandom() {
		Engine quorum = new Engine();
		Command question = quorum.want(99 * SECOND).get(0);
		long now = 0;
		for (int i = 1; i <= 6; i++) {
			quorum.order().answered(question, new Reply(Word.SPLIT, 0, 0, 0, false, now, null), now);
			long pause = quorum.jitter + ((i < Line.TRIES) ? 0 : Context.Settings.RETRY_NANOS);

			assertThat(quorum.due(now + pause - 1)).isEmpty();
			// A timer goes off up to about a millisecond later.
			now += pause + SECOND / 500;
			question = quorum.due(now).get(0);
		}
	}

	@Test
	void splitVotesBeforeAnAnswerDoNotCount() {
		Engine quorum = new Engine();
		// Over with the last answer. A timer would end it sooner, with the word of then.
		Command question = quorum.want(5 * SECOND / 4).get(0);
		long now = 0;
		for (Word word : List.of(Word.SPLIT, Word.SPLIT, Word.SPLIT, Word.NONE, Word.SPLIT)) {
			quorum.order().answered(question, new Reply(word, 0, 0, 0, false, now, null), now);
			now += SECOND / 4;
			question = quorum.due(now).get(0);
		}

		quorum.order().timeUp(quorum.waiter, false, now);

		assertThat(quorum.waiter.outcome()).isNull();
	}

	@ParameterizedTest
	@MethodSource("failures")
	void waiterWhoIsAloneIsToldOfAnError(Runnable failing) {
		Engine quorum = new Engine();
		Command question = quorum.want(99 * SECOND).get(0);
		quorum.failing = failing;

		quorum.order().answered(question, new Reply(Word.NONE, 0, 0, 0, false, 0, null), 0);

		assertThat(quorum.waiter.outcome()).isInstanceOf(Verdict.Failed.class);
	}

	@ParameterizedTest
	@MethodSource("failures")
	void ownerIsToldOfAnErrorThatHitsItsLock(Runnable failing) {
		Engine engine = new Engine();
		Grant grant = engine.grant();
		engine.failing = failing;

		List<Effects.Effect> unused = effects(
				engine.locks.want("order", waiter(Wish.exclusive(false), 60_000, false, 99 * SECOND), SECOND));

		assertThat(grant.loss()).isEqualTo(Cause.ERROR);
		assertThat(engine.own.firstLost()).isSameAs(grant);
		engine.own.told();
		assertThat(engine.own.firstLost()).isNull();
	}

	@Test
	void lossThatCannotBeToldNowLeavesOthersTheirTurn() {
		Engine engine = new Engine();
		Grant one = engine.grant();
		Grant two = new Engine().grant();
		engine.own.lose(one, Cause.GONE);
		engine.own.lose(two, Cause.GONE);

		assertThat(engine.own.firstLost()).isSameAs(one);
		engine.own.told();
		engine.own.lose(one, Cause.GONE);
		assertThat(engine.own.firstLost()).isSameAs(two);
		engine.own.told();
		engine.own.told();
		engine.own.lose(one, Cause.GONE);
		assertThat(engine.own.firstLost()).isSameAs(one);
		engine.own.told();
		assertThat(engine.own.firstLost()).isNull();
	}

	static Stream<Runnable> failures() {
		return Stream.of(() -> {
			throw new OutOfMemoryError("on purpose");
		}, () -> {
			throw new IllegalStateException("on purpose");
		});
	}

	private static Reply whole(long sentNanos) {
		return new Reply(Word.HOLDS, 30_000, 2, 2, false, sentNanos, null);
	}

	private static Reply held(long sentNanos) {
		return new Reply(Word.HOLDS, 60, 2, 2, false, sentNanos, null);
	}

	private List<Command> due(long now) {
		return due(this.context, now);
	}

	private static List<Command> due(Context context, long now) {
		List<Command> sent = new ArrayList<>();
		for (Timers.Timer timer = context.timers().poll(now); timer != null; timer = context.timers().poll(now)) {
			sent.addAll(commands(timer.state().due(timer, now)));
		}
		return sent;
	}

	private static List<Command> commands(Effects effects) {
		return effects(effects).stream()
			.filter(Effects.Send.class::isInstance)
			.map((effect) -> ((Effects.Send) effect).command())
			.toList();
	}

	private static List<Effects.Effect> effects(Effects effects) {
		List<Effects.Effect> all = new ArrayList<>();
		for (Effects.Effect effect = effects.poll(); effect != null; effect = effects.poll()) {
			all.add(effect);
		}
		return all;
	}

	/**
	 * One without a queue, in which one caller wants a lock with a lease of its own.
	 */
	private final class Engine {

		private final long jitter = SECOND / 15;

		private final Context own = new Context(
				new Context.Settings(30_000, 10 * SECOND, SECOND, 5 * SECOND, 0, false, 0), (name) -> name,
				this::nextId, () -> this.jitter);

		private final LockTable locks = new LockTable(this.own);

		private Waiter waiter;

		private int ids;

		private Runnable failing = () -> {
		};

		private String nextId() {
			this.failing.run();
			return "id" + this.ids++;
		}

		List<Command> want(long waitNanos) {
			this.waiter = waiter(Wish.exclusive(false), 60_000, false, waitNanos);
			return commands(this.locks.want("order", this.waiter, 0));
		}

		Grant grant() {
			Command question = want(SECOND).get(0);
			order().answered(question, new Reply(Word.HOLDS, 60_000, 2, 2, false, 0, null), 0);
			return ((Verdict.Granted) this.waiter.outcome()).grant();
		}

		LockState order() {
			return this.locks.find("order");
		}

		List<Command> due(long now) {
			return RequestTests.due(this.own, now);
		}

	}

}
