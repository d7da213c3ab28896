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

package io.holdfast.lock.internal.operator;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.internal.engine.Effects.Send;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.Wish;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What gauges show of an engine. */
class EngineViewTests {

	private static final Wish READ = Wish.shared(false);

	private final TestEngine locks = new TestEngine(Duration.ofSeconds(3));

	private final EngineView view = this.locks.view;

	@Test
	void ownersAndWaitersAreCounted() {
		List<Send> question = this.locks.ask("a");
		this.locks.ask("a");
		assertThat(this.view.held()).isZero();
		assertThat(this.view.waiting()).isEqualTo(2);

		this.locks.answer(question, Word.HOLDS);

		assertThat(this.view.held()).isOne();
		assertThat(this.view.waiting()).isOne();
	}

	@Test
	void readersOfOneHoldAreCountedEach() {
		this.locks.hold("a", new Object(), READ, true);
		this.locks.hold("a", new Object(), READ, true);
		this.locks.waitFor("a", new Object());

		assertThat(this.view.held()).isEqualTo(2);
		assertThat(this.view.waiting()).isOne();
	}

	@Test
	void renewalLagBeginsWithTheFirstRenewalWithoutAnswer() {
		this.locks.hold("a", true);
		this.locks.at(850);
		assertThat(lagMillis()).as("due after a third of the lease, or a little earlier").isZero();

		this.locks.at(1000);
		List<Send> first = this.locks.sendDue();
		assertThat(first).hasSize(1);
		this.locks.at(1300);
		this.locks.fail(first, 1000);
		this.locks.at(1500);
		long lag = lagMillis();
		assertThat(lag).isBetween(500L, 650L);

		List<Send> second = this.locks.sendDue();
		assertThat(second).hasSize(1);
		this.locks.at(1800);
		assertThat(lagMillis()).isEqualTo(lag + 300);

		this.locks.answer(second, Word.HOLDS);
		assertThat(lagMillis()).isZero();
	}

	@Test
	void missedMessagesAreNoLagOfALeaseThatNobodyRenews() {
		this.locks.hold("a", false);
		this.locks.at(2900);

		this.locks.lock("a").missedMessages(TimeUnit.MILLISECONDS.toNanos(2900));
		this.locks.sendDue();

		assertThat(lagMillis()).isZero();
		assertThat(this.view.isRenewalLate()).isFalse();
	}

	@Test
	void waiterWithoutAnswerIsNoRenewalLag() {
		this.locks.waitFor("a", new Object());
		this.locks.at(2500);
		assertThat(this.locks.sendDue()).hasSize(1);
		this.locks.at(9000);

		assertThat(lagMillis()).isZero();
	}

	@Test
	void ownerThatIsGoneIsNoRenewalLag() {
		this.locks.hold("a", new Thread("never started"), Wish.exclusive(false), true);
		this.locks.at(2900);

		assertThat(lagMillis()).isZero();
		assertThat(this.view.isRenewalLate()).isFalse();
	}

	private long lagMillis() {
		return this.view.renewalLag().toMillis();
	}

}
