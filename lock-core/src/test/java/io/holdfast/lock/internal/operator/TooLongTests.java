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

import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.operator.TooLong.Found;
import io.holdfast.lock.internal.protocol.Wish;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is found to be held, or waited for, too long.
 */
class TooLongTests {

	private static final Duration THRESHOLD = Duration.ofMillis(700);

	private final TestEngine locks = new TestEngine(Duration.ofMillis(1500));

	private TooLong tooLong = tooLong(THRESHOLD, THRESHOLD);

	@Test
	void holdIsToldOfOnce() {
		Grant held = this.locks.hold("a", true);

		assertThat(lookAt(699).longHolds()).isEmpty();
		assertThat(lookAt(800).longHolds()).containsExactly(held);
		assertThat(lookAt(1200).longHolds()).isEmpty();
	}

	@Test
	void holdWithAnExplicitLeaseIsToldOf() {
		Grant held = this.locks.hold("a", false);

		assertThat(lookAt(705).longHolds()).containsExactly(held);
	}

	@Test
	void holdThatIsOverIsNotToldOf() {
		this.locks.hold("a", true);

		assertThat(lookAt(2000).longHolds()).isEmpty();
	}

	@Test
	void nextHoldOfTheSameLockIsToldOf() {
		Grant first = this.locks.hold("a", true);
		assertThat(lookAt(705).longHolds()).containsExactly(first);
		this.locks.at(1600);
		this.locks.sendDue();
		Grant next = this.locks.hold("a", true);

		assertThat(lookAt(2305).longHolds()).containsExactly(next);
	}

	@Test
	void readersAreToldOfEachByItself() {
		Grant first = this.locks.hold("a", new Object(), Wish.shared(false), true);
		this.locks.at(300);
		Grant second = this.locks.hold("a", new Object(), Wish.shared(false), true);

		assertThat(lookAt(705).longHolds()).containsExactly(first);
		assertThat(lookAt(1005).longHolds()).containsExactly(second);
	}

	@Test
	void callersWhoWaitAreToldOfTogetherAndEachOnce() {
		this.locks.waitFor("a", new Object());
		this.locks.at(100);
		this.locks.waitFor("a", new Object());
		this.locks.at(400);
		this.locks.waitFor("a", new Object());

		assertThat(waitsAt(850)).containsExactly(List.of("a since 0", "a since 100"));
		assertThat(waitsAt(1110)).containsExactly(List.of("a since 400"));
		assertThat(waitsAt(1400)).isEmpty();
	}

	@Test
	void callerIsToldOfThoughNobodyOfThisClientHoldsTheLock() {
		this.locks.waitFor("a", new Object());

		assertThat(waitsAt(705)).containsExactly(List.of("a since 0"));
	}

	@Test
	void nothingIsToldOfWithoutThresholds() {
		this.tooLong = tooLong(Duration.ZERO, Duration.ZERO);
		this.locks.hold("a", true);
		this.locks.waitFor("a", new Object());

		Found found = lookAt(1200);

		assertThat(found.longHolds()).isEmpty();
		assertThat(found.longWaits()).isEmpty();
	}

	private List<List<String>> waitsAt(long millis) {
		return lookAt(millis).longWaits()
			.stream()
			.map((callers) -> callers.stream()
				.map((each) -> each.lock().name() + " since "
						+ TimeUnit.NANOSECONDS.toMillis(each.waiter().sinceNanos()))
				.toList())
			.toList();
	}

	private Found lookAt(long millis) {
		this.locks.at(millis);
		return this.tooLong.look();
	}

	private TooLong tooLong(Duration held, Duration wait) {
		return new TooLong(this.locks.view, held, wait, TimeUnit.MILLISECONDS.toNanos(100));
	}

}
