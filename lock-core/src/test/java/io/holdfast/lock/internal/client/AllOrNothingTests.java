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
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.client.AllOrNothing.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Several locks: one wait, and nothing held whatever happens. */
class AllOrNothingTests {

	private final LockLostException loss = new LockLostException(
			new LockLoss("b", LockType.REENTRANT, 1, Instant.EPOCH, LockLoss.Cause.EXPIRED, Duration.ZERO));

	private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 20_000_000);

	private final List<String> held = new ArrayList<>();

	private final List<Long> waits = new ArrayList<>();

	/**
	 * Names that were asked for by one call, and what came of it.
	 */
	private final List<List<String>> calls = new ArrayList<>();

	private Answer answer = Answer.ALL;

	@Test
	void waitTimeIsForAllTogether() throws Exception {
		Outcome<String> outcome = all((name, maxWait) -> {
			this.waits.add(maxWait.toMillis());
			this.nanoTime.addAndGet(Duration.ofMillis(30).toNanos());
			return name;
		}).acquire(List.of("a", "b", "c", "d", "e"), Duration.ofMillis(100));

		assertThat(outcome.held()).containsExactly("a", "b", "c", "d", "e");
		assertThat(outcome.refused()).isNull();
		assertThat(this.waits).containsExactly(100L, 70L, 40L, 10L, 0L);
	}

	@Test
	void refusalGivesBackWhatIsHeld() throws Exception {
		Outcome<String> outcome = all((name, maxWait) -> name.equals("c") ? null : take(name))
			.acquire(List.of("a", "b", "c", "d"), Duration.ZERO);

		assertThat(outcome.held()).isEmpty();
		assertThat(outcome.refused()).isEqualTo("c");
		assertThat(this.held).isEmpty();
	}

	@Test
	void failureGivesBackWhatIsHeldAndIsThrown() {
		List<Throwable> failures = List.of(new InterruptedException(), new StackOverflowError(),
				new LockServerException("c", Reason.TIMED_OUT, "no answer", null), this.loss);
		for (Throwable failure : failures) {
			AllOrNothing<String> all = all((name, maxWait) -> name.equals("c") ? sneaky(failure) : take(name));

			assertThatExceptionOfType(failure.getClass())
				.isThrownBy(() -> all.acquire(List.of("a", "b", "c"), Duration.ZERO));

			assertThat(this.held).isEmpty();
		}
	}

	@Test
	void locksThatOneCallTakesAreAcquiredByOneAndOthersAlone() throws Exception {
		List<String> alone = new ArrayList<>();
		// Two of them for the first letter, as a cluster with two slots would have it.
		Outcome<String> outcome = all(new ByFirstLetter(), (name, maxWait) -> {
			alone.add(name);
			return take(name);
		}).acquire(List.of("a1", "a2", "b1", "c1", "c2"), Duration.ZERO);

		assertThat(outcome.held()).containsExactly("a1", "a2", "b1", "c1", "c2");
		assertThat(this.calls).containsExactly(List.of("a1", "a2"), List.of("c1", "c2"));
		assertThat(alone).containsExactly("b1");
	}

	@Test
	void locksOfACallThatGotNoneAreAcquiredOneByOneBeforeAnyLaterOne() throws Exception {
		this.answer = Answer.NONE;
		Outcome<String> outcome = all(new ByFirstLetter(), (name, maxWait) -> {
			this.waits.add(maxWait.toMillis());
			return take(name);
		}).acquire(List.of("a1", "a2", "c1", "c2"), Duration.ofMillis(100));

		assertThat(outcome.held()).containsExactly("a1", "a2", "c1", "c2");
		assertThat(this.held).containsExactly("a1", "a2", "c1", "c2");
		assertThat(this.calls).containsExactly(List.of("a1", "a2"), List.of("c1", "c2"));
		// Both calls took a while.
		assertThat(this.waits).containsExactly(90L, 90L, 80L, 80L);
	}

	@Test
	void refusalAfterACallThatGotSomeGivesBackThese() throws Exception {
		Outcome<String> outcome = all(new ByFirstLetter(), (name, maxWait) -> null).acquire(List.of("a1", "a2", "b1"),
				Duration.ZERO);

		assertThat(outcome.refused()).isEqualTo("b1");
		assertThat(this.held).isEmpty();
	}

	@Test
	void callWithoutAnswerEndsWhatDoesNotWait() {
		this.answer = Answer.TIMED_OUT;

		assertThatExceptionOfType(LockServerException.class)
			.isThrownBy(() -> all(new ByFirstLetter(), (name, maxWait) -> take(name)).acquire(List.of("a1", "a2"),
					Duration.ZERO));

		assertThat(this.held).isEmpty();
	}

	@Test
	void callWithoutAnswerEndsTheWaitThatItOutlasts() {
		for (Answer each : List.of(Answer.TIMED_OUT, Answer.UNREACHABLE)) {
			this.answer = each;
			// A call takes 10 ms.
			assertThatExceptionOfType(LockServerException.class)
				.isThrownBy(() -> all(new ByFirstLetter(), (name, maxWait) -> take(name)).acquire(List.of("a1", "a2"),
						Duration.ofMillis(10)))
				.withMessageContaining("on purpose");
		}

		assertThat(this.held).isEmpty();
	}

	@Test
	void callThatOneLockMayPassIsFollowedByEachAloneAndARefusalIsOne() throws Exception {
		for (Answer each : List.of(Answer.REFUSED, Answer.TRY_AGAIN)) {
			this.answer = each;
			assertThat(all(new ByFirstLetter(), (name, maxWait) -> name).acquire(List.of("a1", "a2"), Duration.ZERO)
				.held()).containsExactly("a1", "a2");
			assertThat(all(new ByFirstLetter(), (name, maxWait) -> null).acquire(List.of("a1", "a2"), Duration.ZERO)
				.refused()).isEqualTo("a1");
		}
	}

	@Test
	void whoWaitsGoesOnAfterACallWithoutAnswerButARefusalIsNoneThen() throws Exception {
		this.answer = Answer.TIMED_OUT;
		assertThat(
				all(new ByFirstLetter(), (name, maxWait) -> name).acquire(List.of("a1", "a2"), Duration.ofMillis(100))
					.held())
			.containsExactly("a1", "a2");

		// It may be their own hold that they wait for.
		assertThatExceptionOfType(LockServerException.class)
			.isThrownBy(() -> all(new ByFirstLetter(), (name, maxWait) -> name.equals("a2") ? null : take(name))
				.acquire(List.of("a1", "a2"), Duration.ofMillis(100)))
			.withMessageContaining("on purpose");
		assertThat(this.held).isEmpty();

		this.answer = Answer.UNREACHABLE;
		assertThat(
				all(new ByFirstLetter(), (name, maxWait) -> null).acquire(List.of("a1", "a2"), Duration.ofMillis(100))
					.refused())
			.isEqualTo("a1");
	}

	@Test
	void refusalOfALaterLockIsOneAlthoughACallForEarlierOnesGotNoAnswer() throws Exception {
		this.answer = Answer.TIMED_OUT;

		Outcome<String> outcome = all(new ByFirstLetter(), (name, maxWait) -> name.equals("b1") ? null : take(name))
			.acquire(List.of("a1", "a2", "b1"), Duration.ofMillis(100));

		assertThat(outcome.refused()).isEqualTo("b1");
		assertThat(this.held).isEmpty();
	}

	@Test
	void failingReleaseHidesNoFailureAndKeepsNothing() {
		AllOrNothing<String> all = new AllOrNothing<>(this.nanoTime::get, new OneByOne(),
				(name, maxWait) -> name.equals("c") ? sneaky(new InterruptedException()) : take(name),
				this.held::contains, (name) -> {
					this.held.remove(name);
					throw this.loss;
				});

		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> all.acquire(List.of("a", "b", "c"), Duration.ZERO));

		assertThat(this.held).isEmpty();
	}

	@Test
	void lossWhileTheLastOneIsAcquiredIsThrownAndGivesBackTheOthers() {
		AllOrNothing<String> all = new AllOrNothing<>(this.nanoTime::get, new OneByOne(), (name, maxWait) -> take(name),
				(name) -> !name.equals("b"), (name) -> {
					this.held.remove(name);
					if (name.equals("b")) {
						throw this.loss;
					}
				});

		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> all.acquire(List.of("a", "b", "c"), Duration.ZERO))
			.isSameAs(this.loss);

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
		return all(new OneByOne(), single);
	}

	private AllOrNothing<String> all(AllOrNothing.Batch<String> batch, AllOrNothing.SingleAcquire<String> single) {
		return new AllOrNothing<>(this.nanoTime::get, batch, single, (name) -> true, this.held::remove);
	}

	private String take(String name) {
		this.held.add(name);
		return name;
	}

	@SuppressWarnings("unchecked")
	private static <E extends Throwable> String sneaky(Throwable thrown) throws E {
		throw (E) thrown;
	}

	private enum Answer {

		ALL, NONE, TIMED_OUT, UNREACHABLE, REFUSED, TRY_AGAIN

	}

	/**
	 * A call takes one lock.
	 */
	private static class OneByOne implements AllOrNothing.Batch<String> {

		@Override
		public int batchSize(List<String> names) {
			return 1;
		}

		@Override
		public List<String> acquire(List<String> names, Duration maxWait) {
			throw new AssertionError("One lock at a time");
		}

	}

	/**
	 * A call takes those with the same first letter.
	 */
	private final class ByFirstLetter implements AllOrNothing.Batch<String> {

		@Override
		public int batchSize(List<String> names) {
			return (int) names.stream().takeWhile((name) -> name.charAt(0) == names.get(0).charAt(0)).count();
		}

		@Override
		public List<String> acquire(List<String> names, Duration maxWait) {
			AllOrNothingTests.this.calls.add(names);
			AllOrNothingTests.this.nanoTime.addAndGet(Duration.ofMillis(10).toNanos());
			return switch (AllOrNothingTests.this.answer) {
				case ALL -> names.stream().map(AllOrNothingTests.this::take).toList();
				case NONE -> List.of();
				case TRY_AGAIN -> throw failure(Reason.UNAVAILABLE, "TRYAGAIN on purpose");
				case TIMED_OUT -> throw failure(Reason.TIMED_OUT, "on purpose");
				case UNREACHABLE -> throw failure(Reason.UNREACHABLE, "on purpose");
				case REFUSED -> throw failure(Reason.REFUSED, "on purpose");
			};
		}

		private LockServerException failure(Reason reason, String message) {
			return new LockServerException("a1", reason, message, null);
		}

	}

}
