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

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.Confirmation;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link Contender} with answers and messages in an order that a server brings about only
 * by chance.
 */
class ContenderTests {

	private static final LeaseSpec WATCHED = new LeaseSpec(1500, true);

	private final Settings settings = new Settings(new LockKeys("p:"), "app@host/1", Duration.ofSeconds(5),
			Duration.ofSeconds(30), Duration.ofMillis(1500), Duration.ofMillis(1500), Duration.ofMinutes(1), 10,
			List.of(), null, null);

	private final LocalLock lock = new LocalLock("a", "p:lock:a");

	private final Contender contender = new Contender(this.lock, LockType.REENTRANT, false, this.settings,
			new Leftovers(System::nanoTime), 0);

	private final Waiter waiter = new Waiter("owner", new LeaseSpec(500, false), true, millis(10_000));

	/** Waits for a fair lock. */
	private final Waiter next = new Waiter("next", WATCHED, true, millis(10_000));

	@Test
	void lateMessageOfAnEarlierHoldDoesNotGiveTheNextOneAnOldToken() {
		this.lock.add(this.contender);
		this.contender.line().join(this.waiter);
		// Held from some moment on for 500 ms with the token 100; the answer is late.
		AcquireCommand first = this.contender.ask(this.waiter, 0);
		this.contender.unanswered(first, this.waiter, new LockServerException("a", Reason.TIMED_OUT, "late", null),
				millis(500));
		// Others held with 150. Now it holds with 200; the answer is late.
		AcquireCommand again = this.contender.ask(this.waiter, millis(1200));
		assertThat(again.id()).isEqualTo(first.id());
		this.contender.handedOver(500, 100, 100, false, millis(1350));

		Grant grant = this.waiter.grant;
		assertThat(grant.unconfirmed).isTrue();
		boolean usable = this.contender.confirmed(grant,
				new Confirmation(new LockReply(State.HOLDS, 500, 200, 200, false, 0, "", 2, millis(1351)), null),
				millis(1352));

		assertThat(usable).isTrue();
		assertThat(grant.token).isEqualTo(200);
	}

	@Test
	void interruptDuringAConfirmationIsNoFailureForThoseBehind() {
		this.lock.add(this.contender);
		this.contender.line().join(this.waiter);
		this.contender.ask(this.waiter, 0);
		this.contender.handedOver(500, 100, 100, false, millis(1350));
		Grant grant = this.waiter.grant;

		assertThat(this.contender.confirmed(grant, failed(new InterruptedException()), millis(1352))).isFalse();
		assertThat(this.contender.failure()).isNull();

		assertThat(this.contender.confirmed(grant, failed(new IOException()), millis(1353))).isFalse();
		assertThat(this.contender.failure()).isNotNull();
	}

	@Test
	void leaseThatIsTooShortIsNotUsedUnlessAnAnswerSaysThatItWasProlonged() {
		Grant grant = grantedByMessage(this.waiter, 500, millis(100));

		assertThat(this.contender.confirmed(grant, failed(new IOException()), millis(101))).isFalse();
		assertThat(grant.isValid(millis(101))).isTrue();

		LockReply prolonged = new LockReply(State.HOLDS, 500, 100, 100, false, 0, "", 2, millis(101));
		assertThat(this.contender.confirmed(grant, new Confirmation(prolonged, null), millis(102))).isTrue();
	}

	@Test
	void watchedLeaseIsUsedWithoutAnAnswerUnlessItWasEndedByForce() {
		Grant grant = grantedByMessage(this.next, 1500, millis(1100));
		assertThat(grant.isValid(millis(1101))).isTrue();
		this.contender.forced();
		assertThat(this.contender.confirmed(grant, failed(new IOException()), millis(1101))).isFalse();
	}

	@Test
	void watchedLeaseIsUsedWithoutAnAnswer() {
		Grant grant = grantedByMessage(this.next, 1500, millis(1100));

		assertThat(this.contender.confirmed(grant, failed(new IOException()), millis(1101))).isTrue();
	}

	@Test
	void questionThatFailsAfterItsGrantCameByMessageMayStillBeCarriedOut() {
		this.lock.add(this.contender);
		this.contender.line().join(this.waiter);
		AcquireCommand question = this.contender.ask(this.waiter, 0);
		this.contender.handedOver(500, 100, 100, false, millis(1));

		this.contender.unanswered(question, this.waiter, new LockServerException("a", Reason.TIMED_OUT, "late", null),
				millis(2));

		assertThat(this.waiter.grant.isValid(millis(2))).isTrue();
		assertThat(this.contender.isDoubtful()).isTrue();
	}

	/**
	 * Lets the message of a grant come when too little of it is left to use it as it is.
	 */
	private Grant grantedByMessage(Waiter first, long leftMillis, long nowNanos) {
		this.lock.add(this.contender);
		this.contender.line().join(first);
		this.contender.ask(first, 0);
		this.contender.handedOver(leftMillis, 100, 100, false, nowNanos);
		assertThat(first.grant.unconfirmed).isTrue();
		return first.grant;
	}

	@Test
	void fairHoldGoesToTheNeighbourAndItsPlaceEndsWithIt() {
		Contender holding = fair(new Waiter("first", WATCHED, true, millis(10_000)));
		Grant grant = grantOf(holding);
		Contender behind = fair(this.next);
		String id = behind.id();
		assertThat(holding.pass(grant, 0)).as("unknown neighbour").isFalse();
		AcquireCommand question = behind.ask(this.next, 0);
		assertThat(holding.pass(grant, 0)).as("question on its way").isFalse();
		behind.answered(question, waits(holding.id()), this.next, 0, Long.MAX_VALUE);

		assertThat(holding.pass(grant, 0)).isTrue();

		assertThat(this.next.grant.contender).isSameAs(holding);
		assertThat(this.next.grant.token).isEqualTo(101);
		assertThat(this.lock.find(id)).isNull();
		String held = holding.id();
		assertThat(holding.depart(101, 0).ids()).containsExactly(held, id);
	}

	@Test
	void neighbourWhosePlaceMayBeMadeOnceMoreIsLeftToRedis() {
		Contender holding = fair(new Waiter("first", WATCHED, true, millis(10_000)));
		Grant grant = grantOf(holding);
		Contender behind = fair(this.next);
		AcquireCommand lost = behind.ask(this.next, 0);
		behind.unanswered(lost, this.next, new LockServerException("a", Reason.TIMED_OUT, "late", null), 0);
		behind.answered(behind.ask(this.next, millis(100)), waits(holding.id()), this.next, millis(101),
				Long.MAX_VALUE);

		assertThat(holding.pass(grant, millis(102))).isFalse();
	}

	private Contender fair(Waiter first) {
		Contender fair = new Contender(this.lock, LockType.FAIR, true, this.settings, new Leftovers(System::nanoTime),
				0);
		this.lock.add(fair);
		fair.line().join(first);
		return fair;
	}

	private Grant grantOf(Contender fair) {
		Waiter first = fair.line().first();
		fair.answered(fair.ask(first, 0), new LockReply(State.HOLDS, 1500, 100, 110, false, 0, "", 1, 0), first, 0,
				Long.MAX_VALUE);
		return first.grant;
	}

	private static LockReply waits(String behind) {
		return new LockReply(State.WAITS, 1500, 0, 110, true, 0, behind, 1, 0);
	}

	private static Confirmation failed(Exception cause) {
		return new Confirmation(null, new LockServerException("a", Reason.TIMED_OUT, "no answer", cause));
	}

	private static long millis(long millis) {
		return TimeUnit.MILLISECONDS.toNanos(millis);
	}

}
