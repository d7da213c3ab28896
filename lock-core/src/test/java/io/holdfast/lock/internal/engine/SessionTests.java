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

import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.Wish;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * For how long an owner believes in a hold that is tied to a session.
 */
class SessionTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private static final long GRACE = 2 * SECOND;

	/** When the grace is nearly over. */
	private static final long NEARLY = GRACE - SECOND / 100;

	private final Context context = new Context(
			new Context.Settings(30_000, 10 * SECOND, SECOND, 5 * SECOND, 0, true, GRACE), (name) -> name, () -> "id",
			() -> 0);

	private final LockTable table = new LockTable(this.context);

	private LockState order;

	private Command.Ask question;

	private Grant grant;

	@BeforeEach
	void session() {
		this.context.session("#1.aa.n5c.1jk", 0);
	}

	private static Waiter waiter(long waitsUntil) {
		return new Waiter(Thread.currentThread(), Wish.exclusive(false), 30_000, true, 0, waitsUntil, Long.MAX_VALUE) {

			@Override
			public void wake() {
			}

		};
	}

	private void acquire() {
		Waiter waiter = waiter(SECOND);
		this.question = (Command.Ask) commands(this.table.want("order", waiter, 0)).get(0);
		this.order = this.table.of("order");
		this.order.answered(this.question, holds(100, 0), 0);
		this.grant = ((Verdict.Granted) waiter.outcome()).grant();
	}

	private static Reply holds(long token, long sent) {
		return new Reply(Word.HOLDS, 30_000, token, token, false, sent, null);
	}

	private static List<Command> commands(Effects todo) {
		List<Command> commands = new ArrayList<>();
		for (Effects.Effect each = todo.poll(); each != null; each = todo.poll()) {
			if (each instanceof Effects.Send send) {
				commands.add(send.command());
			}
		}
		return commands;
	}

	private Command.Renew renewal(long now) {
		List<Command> sent = new ArrayList<>(commands(this.order.missedMessages(now)));
		for (Timers.Timer due = this.context.timers().poll(now + SECOND / 100); due != null; due = this.context.timers()
			.poll(now + SECOND / 100)) {
			sent.addAll(commands(due.state().due(due, now + SECOND / 100)));
		}
		return (Command.Renew) sent.get(0);
	}

	@Test
	void ownerIsSureForTheGraceAfterItsQuestion() {
		acquire();

		assertThat(this.question.session()).isEqualTo("#1.aa.n5c.1jk");
		assertThat(this.grant.isValid(NEARLY)).isTrue();
		assertThat(this.grant.isValid(GRACE)).isFalse();
		assertThat(this.grant.isHeld(GRACE)).isTrue();
	}

	@Test
	void ownerIsSureForTheGraceAfterItsSessionWasSeen() {
		acquire();

		assertThat(this.context.session("#1.aa.n5c.1jk", SECOND)).isFalse();

		assertThat(this.grant.isValid(SECOND + NEARLY)).isTrue();
		assertThat(this.grant.isValid(SECOND + GRACE)).isFalse();
	}

	@Test
	void anotherSessionProvesNothingUntilTheHoldIsTiedToIt() {
		acquire();

		assertThat(this.context.session("#2.aa.n5c.1jk", 10 * SECOND)).isTrue();
		assertThat(this.grant.isValid(10 * SECOND)).isFalse();
		Command.Renew renewal = renewal(10 * SECOND);
		assertThat(renewal.session()).isEqualTo("#2.aa.n5c.1jk");
		assertThat(this.grant.isValid(10 * SECOND)).isFalse();
		this.order.answered(renewal, holds(100, 10 * SECOND), 11 * SECOND);
		this.context.session("#2.aa.n5c.1jk", 12 * SECOND);

		assertThat(this.grant.isValid(12 * SECOND + NEARLY)).isTrue();
		assertThat(this.grant.isValid(12 * SECOND + GRACE)).isFalse();
	}

	@Test
	void lateAnswerAboutAnEarlierHoldTiesThisOneToNothing() {
		acquire();
		this.context.session("#2.aa.n5c.1jk", 10 * SECOND);
		Command.Renew renewal = renewal(10 * SECOND);

		this.order.answered(renewal, holds(99, 11 * SECOND), 11 * SECOND);
		this.context.session("#2.aa.n5c.1jk", 12 * SECOND);

		assertThat(this.grant.isHeld(12 * SECOND)).isTrue();
		assertThat(this.grant.isValid(12 * SECOND)).isFalse();
		assertThat(renewal(12 * SECOND).session()).isEqualTo("#2.aa.n5c.1jk");
	}

	@Test
	void holdMayEndBeforeItsLeaseIfItsPlaceWasTied() {
		this.context.session(null, 0);
		Waiter waiter = waiter(100 * SECOND);
		this.question = (Command.Ask) commands(this.table.want("order", waiter, 0)).get(0);
		this.order = this.table.of("order");
		this.order.answered(this.question, new Reply(Word.WAITS, 1000, 0, 1, false, 0, null), 0);
		this.context.session("#1.aa.n5c.1jk", SECOND);
		Command.Renew sign = renewal(SECOND);

		this.order.granted("id", holds(100, 0), SECOND + SECOND / 2);

		assertThat(this.question.session()).isEmpty();
		assertThat(sign.session()).isEqualTo("#1.aa.n5c.1jk");
		this.grant = ((Verdict.Granted) waiter.outcome()).grant();
		assertThat(this.grant.isValid(SECOND + NEARLY)).isTrue();
		assertThat(this.grant.isValid(SECOND + GRACE)).isFalse();
	}

	@Test
	void shortHoldThatIsNotTiedYetIsRenewedBeforeItEnds() {
		Context context = new Context(new Context.Settings(30_000, SECOND, 2 * SECOND, 4 * SECOND, 0, true, 4 * SECOND),
				(name) -> name, () -> "id", () -> 0);
		LockTable table = new LockTable(context);
		Waiter waiter = waiter(100 * SECOND);
		Command ask = commands(table.want("order", waiter, 0)).get(0);
		table.of("order").answered(ask, new Reply(Word.WAITS, 1000, 0, 1, false, 0, null), 0);
		context.session("#1.aa.n5c.1jk", 0);

		table.of("order").granted("id", new Reply(Word.HOLDS, 1000, 100, 100, false, 0, null), SECOND / 100);

		Grant grant = ((Verdict.Granted) waiter.outcome()).grant();
		long soon = grant.untilNanos() / 2;
		List<Command> sent = new ArrayList<>();
		for (Timers.Timer due = context.timers().poll(soon); due != null; due = context.timers().poll(soon)) {
			sent.addAll(commands(due.state().due(due, soon)));
		}
		assertThat(sent).singleElement().isInstanceOf(Command.Renew.class);
	}

	@Test
	void renewalProvesAHoldWhoseSessionIsGone() {
		acquire();
		this.context.session(null, SECOND);

		Command.Renew renewal = renewal(3 * SECOND);
		assertThat(renewal.session()).isEmpty();
		this.order.answered(renewal, holds(100, 3 * SECOND), 3 * SECOND);

		assertThat(this.grant.isValid(3 * SECOND + NEARLY)).isTrue();
		assertThat(this.grant.isValid(3 * SECOND + GRACE)).isFalse();
	}

	/**
	 * The server may have tied it although it was not heard.
	 */
	@Test
	void holdThatMayBeTiedIsNotBelievedForItsLeaseAndIsTiedAgain() {
		this.context.session(null, 0);
		acquire();
		assertThat(this.grant.isValid(25 * SECOND)).isTrue();

		this.context.session("#1.aa.n5c.1jk", SECOND);
		assertThat(renewal(SECOND).session()).isEqualTo("#1.aa.n5c.1jk");

		assertThat(this.grant.isValid(SECOND + GRACE)).isFalse();
		this.order.failed(new Command.Renew("order", "id", 30_000, 0, 0, 0, "#1.aa.n5c.1jk"),
				new LockServerException("order", Reason.TIMED_OUT, "No answer", null), SECOND + SECOND / 100,
				2 * SECOND);
		assertThat(renewal(2 * SECOND).session()).isEqualTo("#1.aa.n5c.1jk");
	}

	/**
	 * It was taken over, and given back, and then a question ran that was repeated.
	 */
	@Test
	void holdThatComesBackIsLost() {
		acquire();
		Command.Renew renewal = renewal(4 * SECOND);

		this.order.answered(renewal, holds(200, 4 * SECOND), 4 * SECOND);

		assertThat(this.grant.loss()).isEqualTo(Cause.GONE);
		assertThat(this.grant.isValid(4 * SECOND)).isFalse();
	}

}
