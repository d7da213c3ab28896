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

package io.holdfast.lock.internal.client;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Several locks: one wait, and nothing held whatever happens. */
class AllOrNothingTests {

	private final LockLostException loss = new LockLostException(
			new LockLoss("b", false, 1, Instant.EPOCH, LockLoss.Cause.EXPIRED, Duration.ZERO));

	private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 20_000_000);

	private final List<String> held = new ArrayList<>();

	private final List<Long> waits = new ArrayList<>();

	@Test
	void waitTimeIsForAllTogether() throws Exception {
		List<String> got = new ArrayList<>();
		String refused = all((name, maxWait) -> {
			this.waits.add(maxWait.toMillis());
			this.nanoTime.addAndGet(Duration.ofMillis(30).toNanos());
			return name;
		}).acquire(List.of("a", "b", "c", "d", "e"), Duration.ofMillis(100), got);

		assertThat(got).containsExactly("a", "b", "c", "d", "e");
		assertThat(refused).isNull();
		assertThat(this.waits).containsExactly(100L, 70L, 40L, 10L, 0L);
	}

	@Test
	void waitWithoutEndIsOneForEach() throws Exception {
		List<Duration> left = new ArrayList<>();

		all((name, maxWait) -> {
			left.add(maxWait);
			this.nanoTime.addAndGet(1);
			return name;
		}).acquire(List.of("a", "b"), LockOptions.FOREVER, new ArrayList<>());

		assertThat(left).containsOnly(LockOptions.FOREVER);
	}

	@Test
	void failureGivesBackWhatIsHeldAndIsThrown() {
		List<Throwable> failures = List.of(new InterruptedException(), new StackOverflowError(),
				new LockServerException("c", Reason.TIMED_OUT, "no answer", null), this.loss);
		for (Throwable failure : failures) {
			AllOrNothing<String> all = all((name, maxWait) -> name.equals("c") ? sneaky(failure) : take(name));

			assertThatExceptionOfType(failure.getClass())
				.isThrownBy(() -> all.acquire(List.of("a", "b", "c"), Duration.ZERO, new ArrayList<>()));

			assertThat(this.held).isEmpty();
		}
	}

	@Test
	void failingReleaseHidesNoFailureAndKeepsNothing() {
		AllOrNothing<String> all = new AllOrNothing<>(this.nanoTime::get,
				(name, maxWait) -> name.equals("c") ? sneaky(new InterruptedException()) : take(name), (name) -> {
				}, (name) -> {
					this.held.remove(name);
					throw this.loss;
				});

		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> all.acquire(List.of("a", "b", "c"), Duration.ZERO, new ArrayList<>()));

		assertThat(this.held).isEmpty();
	}

	@Test
	void allAreGivenBackInReverseOrderAndALossIsTheFailureThatIsThrown() {
		LockServerException noAnswer = new LockServerException("c", Reason.TIMED_OUT, "no answer", null);
		List<String> givenBack = new ArrayList<>();
		Consumer<String> giveBack = (name) -> {
			givenBack.add(name);
			if (name.equals("c")) {
				throw noAnswer;
			}
			if (name.equals("b")) {
				throw this.loss;
			}
		};

		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> AllOrNothing.giveBackAll(List.of("a", "b", "c"), giveBack))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).containsExactly(noAnswer));

		assertThat(givenBack).containsExactly("c", "b", "a");
	}

	@Test
	void namesAreOrderedAsJavaComparesThemAndEachIsThereOnce() {
		assertThat(AllOrNothing.order(List.of("b", "a:10", "B", "a:9", "b", "a"))).containsExactly("B", "a", "a:10",
				"a:9", "b");
	}

	@Test
	void manyNamesAreNotAllInMessages() {
		assertThat(AllOrNothing.describe(List.of("a", "b", "c"))).isEqualTo("a, b, c");
		assertThat(AllOrNothing.describe(IntStream.range(0, 100).mapToObj(Integer::toString).toList()))
			.isEqualTo("0, 1, 2 and 97 more");
	}

	private AllOrNothing<String> all(AllOrNothing.SingleAcquire<String> single) {
		return new AllOrNothing<>(this.nanoTime::get, single, (name) -> {
		}, this.held::remove);
	}

	private String take(String name) {
		this.held.add(name);
		return name;
	}

	@SuppressWarnings("unchecked")
	private static <E extends Throwable> String sneaky(Throwable thrown) throws E {
		throw (E) thrown;
	}

}
