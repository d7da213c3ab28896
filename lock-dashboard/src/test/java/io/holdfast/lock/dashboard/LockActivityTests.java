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

package io.holdfast.lock.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockObserver.Acquisition;
import io.holdfast.lock.LockObserver.Attempt;
import io.holdfast.lock.LockObserver.Failure;
import io.holdfast.lock.dashboard.LockActivity.Incident;
import io.holdfast.lock.dashboard.LockWaits.Snapshot;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What is remembered of the locks of a process, and that it is little. */
class LockActivityTests {

	private final AtomicLong clock = new AtomicLong(-17);

	private final LockActivity activity = new LockActivity(this.clock::get);

	@Test
	void hotLockIsKeptAmongHundredThousandNames() {
		for (int i = 0; i < 100_000; i++) {
			pass(Duration.ofMillis(1));
			acquire("order:" + i, Duration.ofMillis(10));
			if (i % 10 == 0) {
				acquire("hot", Duration.ofMillis(50));
			}
		}

		List<Snapshot> all = this.activity.hottest(Integer.MAX_VALUE);
		assertThat(all).hasSize(LockActivity.MAX_NAMES);
		assertThat(all.get(0).name()).isEqualTo("hot");
	}

	@Test
	void waitIsSpreadOverTheTimeInWhichItWentOn() {
		pass(Duration.ofSeconds(21));
		acquire("a", Duration.ofSeconds(12));

		Snapshot waits = this.activity.hottest(10).get(0);
		// From 9 s to 21 s, in slots of 5 s of which the last one has begun.
		assertThat(waits.waiting().subList(LockWaits.SLOTS - 5, LockWaits.SLOTS)).containsExactly(0.0, 0.2, 1.0, 1.0,
				0.2);
		assertThat(waits.got()).containsOnlyOnce(1).endsWith(1);
		assertThat(waits.longest()).isEqualTo(Duration.ofSeconds(12));
	}

	@Test
	void waitOfHoursIsCutToFiveMinutes() {
		pass(Duration.ofHours(3));
		acquire("a", Duration.ofHours(2));

		Snapshot waits = this.activity.hottest(10).get(0);
		assertThat(waits.waiting().subList(0, LockWaits.SLOTS - 1)).containsOnly(1.0);
		assertThat(waits.longest()).isEqualTo(Duration.ofHours(2));
	}

	@Test
	void waitsAreForgottenAfterFiveMinutes() {
		acquire("a", Duration.ofSeconds(1));
		pass(Duration.ofMinutes(5).minusSeconds(1));
		assertThat(this.activity.hottest(10)).hasSize(1);

		pass(Duration.ofSeconds(1));
		assertThat(this.activity.hottest(10)).isEmpty();
	}

	@Test
	void ringGoesOnAfterAPauseOfHours() {
		acquire("a", Duration.ofSeconds(1));
		pass(Duration.ofHours(7));
		acquire("a", Duration.ofSeconds(2));

		assertThat(this.activity.hottest(10)).singleElement()
			.satisfies((waits) -> assertThat(waits.waiting().stream().mapToDouble(Double::doubleValue).sum())
				.isEqualTo(0.4));
	}

	@Test
	void waitsInVainAreCounted() {
		pass(Duration.ofSeconds(2));
		this.activity.wanted("a", null, true, LockMode.EXCLUSIVE)
			.failed(Failure.TIMED_OUT, Duration.ofSeconds(1).toNanos(), null);

		Snapshot waits = this.activity.hottest(10).get(0);
		assertThat(waits.inVain()).hasSize(LockWaits.SLOTS).endsWith(1);
		assertThat(waits.got()).containsOnly(0);
	}

	@Test
	void waitThatGoesOnIsHotFromItsFirstSecond() {
		pass(Duration.ofSeconds(20));
		Attempt attempt = this.activity.wanted("a", null, false, LockMode.EXCLUSIVE);
		pass(Duration.ofMillis(999));
		assertThat(this.activity.hottest(10)).isEmpty();

		pass(Duration.ofSeconds(11));
		Snapshot waits = this.activity.hottest(10).get(0);
		assertThat(waits.underWay()).isOne();
		assertThat(waits.got()).containsOnly(0);
		assertThat(waits.longest()).isGreaterThan(Duration.ofSeconds(11));
		assertThat(waits.waiting().subList(LockWaits.SLOTS - 3, LockWaits.SLOTS - 1)).containsOnly(1.0);

		attempt.acquired(Acquisition.WAITED, Duration.ofSeconds(12).toNanos());
		assertThat(this.activity.hottest(10).get(0).underWay()).isZero();
		assertThat(this.activity.hottest(10).get(0).got()).endsWith(1);
	}

	@Test
	void waitsOfHoursPushNoHotterLockAside() {
		want("old", LockActivity.MAX_NAMES);
		pass(Duration.ofHours(2));
		for (int caller = 0; caller < 3; caller++) {
			want("hot", 1);
		}
		pass(Duration.ofMinutes(4));

		assertThat(this.activity.hottest(1)).extracting(Snapshot::name).containsExactly("hot 0");
	}

	@Test
	void attemptThatHasEndedWaitsNoMore() {
		this.activity.wanted("a", null, false, LockMode.EXCLUSIVE).acquired(Acquisition.FIRST_ATTEMPT, 1000);
		this.activity.wanted("b", null, false, LockMode.EXCLUSIVE).failed(Failure.REFUSED, 1000, null);
		pass(Duration.ofSeconds(10));

		assertThat(this.activity.hottest(10)).isEmpty();
	}

	@Test
	void lockThatIsFreeIsNotHot() {
		this.activity.wanted("a", null, false, LockMode.EXCLUSIVE).acquired(Acquisition.FIRST_ATTEMPT, 1_000_000);

		assertThat(this.activity.hottest(10)).isEmpty();
	}

	@Test
	void whoDidNotWantToWaitDidNotWait() {
		this.activity.wanted("a", null, false, LockMode.EXCLUSIVE).failed(Failure.REFUSED, 1_000_000, null);

		assertThat(this.activity.hottest(10)).isEmpty();
	}

	@Test
	void newcomersThatTakeTurnsGetHot() {
		for (int i = 0; i < LockActivity.MAX_NAMES; i++) {
			acquire("order:" + i, Duration.ofMillis(100));
		}
		for (int i = 0; i < 1000; i++) {
			pass(Duration.ofMillis(100));
			acquire("hot A", Duration.ofMillis(90));
			acquire("hot B", Duration.ofMillis(90));
		}

		assertThat(this.activity.hottest(2)).extracting(Snapshot::name).containsExactlyInAnyOrder("hot A", "hot B");
	}

	@Test
	void rankThatWasInheritedIsForgottenAfterFiveMinutes() {
		for (int i = 0; i < LockActivity.MAX_NAMES; i++) {
			acquire("old:" + i, Duration.ofMinutes(1));
		}
		pass(Duration.ofMinutes(4));
		acquire("heir", Duration.ofMillis(10));
		pass(Duration.ofMinutes(2));
		for (int i = 0; i < LockActivity.MAX_NAMES; i++) {
			acquire("new:" + i, Duration.ofMillis(20));
		}

		assertThat(this.activity.hottest(LockActivity.MAX_NAMES)).extracting(Snapshot::name).doesNotContain("heir");
	}

	@Test
	void latestIncidentsAreKept() {
		this.activity.deadlocked(List.of("x", "y"));
		for (int i = 0; i < LockActivity.MAX_INCIDENTS - 1; i++) {
			lose("order:" + i);
		}
		assertThat(this.activity.incidents()).last().extracting(Incident::what).isEqualTo("deadlock");

		lose("last");
		assertThat(this.activity.incidents()).hasSize(LockActivity.MAX_INCIDENTS)
			.noneMatch((incident) -> incident.what().equals("deadlock"))
			.first()
			.satisfies((incident) -> assertThat(incident.names()).containsExactly("last"));
	}

	private void acquire(String name, Duration waited) {
		this.activity.wanted(name, null, false, LockMode.EXCLUSIVE).acquired(Acquisition.WAITED, waited.toNanos());
	}

	private void want(String name, int locks) {
		for (int lock = 0; lock < locks; lock++) {
			this.activity.wanted(name + " " + lock, null, false, LockMode.EXCLUSIVE);
		}
	}

	private void lose(String name) {
		this.activity.lost(new LockLoss(name, false, 7, Instant.EPOCH, LockLoss.Cause.EXPIRED, Duration.ZERO),
				this.activity.wanted(name, null, false, LockMode.EXCLUSIVE));
	}

	private void pass(Duration time) {
		this.clock.addAndGet(time.toNanos());
	}

}
