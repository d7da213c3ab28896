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
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.Wish;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * What is thrown inside of an input ends that lock, and everybody is told.
 */
class TornLockTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private static final Reply HOLDS = new Reply(Word.HOLDS, 60_000, 2, 2, false, 0, null);

	private int ids;

	private long tokens;

	private Command question;

	private final Context context = new Context(
			new Context.Settings(30_000, 10 * SECOND, SECOND, 5 * SECOND, 0, true, 0), (name) -> name,
			() -> "id" + ++this.ids, () -> 0);

	private final LockTable table = new LockTable(this.context);

	/**
	 * Even if the first attempt to discard the lock fails, as where the stack is used up.
	 */
	@ParameterizedTest
	@MethodSource("inputs")
	void ownerAndWaiterAreToldWhicheverInputFails(Input input) {
		Grant grant = grant();
		Waiter waiter = waiter();
		List<Effects.Effect> unused = effects(this.table.want("order", waiter, SECOND));
		LockState order = grant.state();
		Object claims = ReflectionTestUtils.getField(order, "claims");
		ReflectionTestUtils.setField(order, "claims", null);

		assertThatNullPointerException().isThrownBy(() -> input.give(order, grant, waiter, this.question));

		assertThat(this.context.takeTorn()).isTrue();
		ReflectionTestUtils.setField(order, "claims", claims);
		assertThat(effects(order.discardIfTorn(2 * SECOND))).hasAtLeastOneElementOfType(Effects.Discarded.class);
		assertThat(grant.loss()).isEqualTo(Cause.ERROR);
		assertThat(this.context.firstLost()).isSameAs(grant);
		assertThat(waiter.outcome()).isInstanceOf(Verdict.Failed.class);
		assertThat(this.table.find("order")).isNull();
		assertThat(this.table.grant("order", grant.owner())).isSameAs(grant);
	}

	static Stream<Named<Input>> inputs() {
		return Stream.of(Named.of("timeUp", (order, grant, waiter, question) -> order.timeUp(waiter, false, SECOND)),
				Named.of("unlock", (order, grant, waiter, question) -> order.unlock(grant, false, SECOND)),
				Named.of("expire", (order, grant, waiter, question) -> order.expire(grant, SECOND)),
				Named.of("extend", (order, grant, waiter, question) -> order.extend(grant, 90_000, false, SECOND)),
				Named.of("confirm", (order, grant, waiter, question) -> order.confirm(grant, SECOND)),
				Named.of("forget", (order, grant, waiter, question) -> order.forget(grant, SECOND)),
				Named.of("answered", (order, grant, waiter, question) -> order.answered(question, HOLDS, SECOND)),
				Named.of("failed",
						(order, grant, waiter, question) -> order.failed(question,
								new LockServerException("order", Reason.TIMED_OUT, "No answer", null), 0, SECOND)),
				Named.of("due", (order, grant, waiter, question) -> order.due(waiter, SECOND)),
				Named.of("granted", (order, grant, waiter, question) -> order.granted("id2", HOLDS, SECOND)),
				Named.of("awaited", (order, grant, waiter, question) -> order.awaited("id1", SECOND)),
				Named.of("forced", (order, grant, waiter, question) -> order.forced("id1", SECOND)),
				Named.of("missedMessages", (order, grant, waiter, question) -> order.missedMessages(SECOND)),
				Named.of("deaf", (order, grant, waiter, question) -> order.deaf(SECOND)),
				Named.of("close", (order, grant, waiter, question) -> order.close(SECOND)));
	}

	@Test
	void ownersOfALockThatErrorsHitTwiceFindWhatTheyHaveToUnlock() {
		List<Grant> grants = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			Grant grant = grant();
			grants.add(grant);
			List<Effects.Effect> unused = effects(grant.state().timeUp(null, false, SECOND));
		}

		for (Grant grant : grants) {
			assertThat(this.table.grant("order", grant.owner())).isSameAs(grant);
			List<Effects.Effect> unused = effects(grant.state().unlock(grant, false, SECOND));
			assertThat(this.table.grant("order", grant.owner())).isNull();
		}
		assertNothingStays();
	}

	@Test
	void ownerThatErrorsHitOftenUnlocksTheLatestFirst() {
		Object owner = new Object();
		List<Grant> grants = new ArrayList<>();
		for (int i = 0; i < 9; i++) {
			Grant grant = grant(waiter(owner));
			grants.add(0, grant);
			List<Effects.Effect> unused = effects(grant.state().timeUp(null, false, SECOND));
		}

		for (Grant grant : grants) {
			assertThat(this.table.grant("order", owner)).isSameAs(grant);
			List<Effects.Effect> unused = effects(grant.state().unlock(grant, false, SECOND));
		}
		assertNothingStays();
	}

	@Test
	void nothingStaysOfALockWhoseOwnerIsGoneWhenAnErrorHitsIt() throws Exception {
		Thread owner = new Thread(() -> {
		});
		Grant grant = grant(waiter(owner));
		owner.start();
		owner.join();

		List<Effects.Effect> unused = effects(grant.state().timeUp(null, false, SECOND));

		assertThat(grant.loss()).isEqualTo(Cause.ERROR);
		assertNothingStays();
	}

	private void assertNothingStays() {
		assertThat(this.table.all()).isEmpty();
		assertThat((Set<?>) ReflectionTestUtils.getField(this.table, "torn")).isEmpty();
	}

	private Grant grant() {
		return grant(waiter());
	}

	private Grant grant(Waiter waiter) {
		this.question = effects(this.table.want("order", waiter, 0)).stream()
			.filter(Effects.Send.class::isInstance)
			.map((effect) -> ((Effects.Send) effect).command())
			.findFirst()
			.orElseThrow();
		Reply holds = new Reply(Word.HOLDS, 60_000, ++this.tokens, this.tokens, false, 0, null);
		List<Effects.Effect> unused = effects(this.table.of("order").answered(this.question, holds, 0));
		return ((Verdict.Granted) waiter.outcome()).grant();
	}

	private static Waiter waiter() {
		return waiter(new Object());
	}

	private static Waiter waiter(Object owner) {
		return new Waiter(owner, Wish.exclusive(false), 60_000, true, 0, 99 * SECOND, 0) {

			@Override
			public void wake() {
			}

		};
	}

	private static List<Effects.Effect> effects(Effects effects) {
		List<Effects.Effect> all = new ArrayList<>();
		for (Effects.Effect effect = effects.poll(); effect != null; effect = effects.poll()) {
			all.add(effect);
		}
		return all;
	}

	private interface Input {

		void give(LockState order, Grant grant, Waiter waiter, Command question);

	}

}
