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

package io.holdfast.lock.local;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.ObserverCalls;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What an observer is told, and in which order. */
class LockObserverTests {

	private static final LockOptions ONCE = LockOptions.defaults().waitTime(Duration.ZERO);

	private final TestThreads threads = new TestThreads();

	private final LocalLocks locks = new LocalLocks();

	private final ObserverCalls observer = new ObserverCalls();

	private final LocalLockClient client = LocalLockClient.builder()
		.locks(this.locks)
		.observer(this.observer.observer())
		.build();

	private final LocalLockClient other = LocalLockClient.builder().locks(this.locks).build();

	@AfterEach
	void close() throws Exception {
		this.threads.close();
		this.client.close();
		this.other.close();
	}

	@Test
	void nameOfOptionsIsTold() throws Exception {
		this.client.acquire("order:1", LockOptions.defaults().fair(true).named("order")).close();
		this.client.execute("order:2", LockOptions.defaults().named("order"), (lease) -> "done");

		assertThat(this.observer.told()).containsExactly("wanted order:1 order true", "acquired FIRST_ATTEMPT",
				"released RETURNED", "wanted order:2 order false", "acquired FIRST_ATTEMPT", "released RETURNED");
	}

	@Test
	void nameIsToldForEachOfSeveralLocks() {
		LeaseLock several = this.client.getLock(List.of("b", "a")).named("both");

		several.lock();
		several.unlock();

		assertThat(this.observer.told()).contains("wanted a both false", "wanted b both false")
			.filteredOn("released RETURNED"::equals)
			.hasSize(2);
	}

	@Test
	void refusedAttempts() throws Exception {
		try (Lease held = this.other.acquire("a", LockOptions.defaults())) {
			assertThat(this.client.tryAcquire("a", ONCE)).isEmpty();
			assertThat(this.client.tryAcquire("a", LockOptions.defaults().waitTime(Duration.ofMillis(50)))).isEmpty();
			assertThat(held.isValid()).isTrue();
		}

		assertThat(this.observer.told()).containsExactly("wanted a false", "failed REFUSED", "wanted a false",
				"failed TIMED_OUT");
	}

	@Test
	void attemptThatIsRefusedWithoutTheServer() throws Exception {
		try (Lease held = this.client.acquire("a", LockOptions.defaults())) {
			assertThat(this.client.tryAcquire("a", ONCE)).isEmpty();
			assertThat(held.isValid()).isTrue();
		}

		assertThat(this.observer.told()).containsExactly("wanted a false", "acquired FIRST_ATTEMPT", "wanted a false",
				"failed REFUSED", "released RETURNED");
	}

	@Test
	void interruptedWait() throws Exception {
		try (Lease held = this.other.acquire("a", LockOptions.defaults())) {
			TestThreads.Running<Void> waiting = this.threads
				.run(() -> assertThatExceptionOfType(InterruptedException.class)
					.isThrownBy(() -> this.client.acquire("a", LockOptions.defaults())));
			Awaitility.await().atMost(TestThreads.LONG).until(() -> this.observer.states().element().waiting() == 1);
			waiting.interrupt();
			waiting.result();
			assertThat(held.isValid()).isTrue();
		}

		assertThat(this.observer.told()).containsExactly("wanted a false", "failed INTERRUPTED");
	}

	@Test
	void callerThatWaits() throws Exception {
		Lease held = this.other.acquire("a", LockOptions.defaults());
		TestThreads.Running<Void> waiting = this.threads
			.run(() -> this.client.acquire("a", LockOptions.defaults()).close());
		Awaitility.await().atMost(TestThreads.LONG).until(() -> !this.other.directory().queue("a", 1).isEmpty());
		held.close();
		waiting.result();

		assertThat(this.observer.told()).containsExactly("wanted a false", "acquired WAITED", "released RETURNED");
	}

	private TestThreads.Running<Void> acquireAndClose() {
		return this.threads.run(() -> this.client.acquire("a", LockOptions.defaults()).close());
	}

	@Test
	void lockThatIsPassedOn() throws Exception {
		Lease held = this.client.acquire("a", LockOptions.defaults());
		// The next hold has tokens for several owners if several wait for it.
		List<TestThreads.Running<Void>> waiting = Stream.generate(this::acquireAndClose).limit(2).toList();
		Awaitility.await().atMost(TestThreads.LONG).until(() -> this.observer.states().element().waiting() == 2);
		held.close();
		for (TestThreads.Running<Void> each : waiting) {
			each.result();
		}

		assertThat(this.observer.told()).contains("acquired PASSED_ON", "released PASSED_ON");
	}

	@Test
	void loss() throws Exception {
		Lease lease = this.client.acquire("a", LockOptions.defaults());

		this.other.directory().forceUnlock("a");

		Awaitility.await()
			.atMost(TestThreads.LONG)
			.untilAsserted(() -> assertThat(this.observer.told()).containsExactlyInAnyOrder("wanted a false",
					"acquired FIRST_ATTEMPT", "lost FORCED"));
		assertThat(lease.isValid()).isFalse();
	}

	@Test
	void threadThatHasLostItsLockAndWantsItAgain() {
		LeaseLock lock = this.client.getLock("a");
		lock.lock();
		this.other.directory().forceUnlock("a");
		Awaitility.await().atMost(TestThreads.LONG).until(() -> this.observer.told().contains("lost FORCED"));

		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);

		assertThat(this.observer.told()).containsExactly("wanted a false", "acquired FIRST_ATTEMPT", "lost FORCED",
				"wanted a false", "failed ERROR");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
	}

	@Test
	void forcedRelease() throws Exception {
		Lease held = this.other.acquire("a", LockOptions.defaults());

		assertThat(this.client.directory().forceUnlock("b")).isEmpty();
		assertThat(this.client.directory().forceUnlock("a")).isPresent();

		assertThat(this.observer.told()).containsExactly("forced a");
		Awaitility.await().atMost(TestThreads.LONG).until(() -> !held.isValid());
	}

	@Test
	void stateOfTheClient() throws Exception {
		assertThat(this.observer.states().element().id()).isEqualTo(this.client.id());
		assertThat(this.observer.states().element().held()).isZero();
		try (Lease held = this.client.acquire("a", LockOptions.defaults())) {
			assertThat(held.isValid()).isTrue();
			assertThat(this.observer.states().element().held()).isOne();
			assertThat(this.observer.states().element().waiting()).isZero();
			assertThat(this.observer.states().element().renewalLag()).isZero();
			assertThat(this.observer.states().element().pendingReleases()).isZero();
			assertThat(this.observer.states().element().resubscriptions()).isZero();
		}

		this.client.close();

		assertThat(this.observer.states()).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("failures")
	void failureOfAnObserverIsNobodyElsesAffair(Throwable failure) {
		ObserverCalls second = new ObserverCalls();
		try (LockClient observed = LocalLockClient.builder()
			.observer(new FailingObserver(failure))
			.observer(second.observer())
			.build()) {
			LeaseLock lock = observed.getLock("a");
			lock.lock();
			lock.lock();
			lock.unlock();
			lock.unlock();
		}

		assertThat(second.told()).containsExactly("wanted a false", "acquired FIRST_ATTEMPT", "reentered",
				"released RETURNED");
		assertThat(second.states()).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("failures")
	void failureOfAnObserverKeepsNoLock(Throwable failure) throws Exception {
		LocalLockClient observed = LocalLockClient.builder()
			.locks(this.locks)
			.observer(new FailingObserver(failure))
			.build();
		LeaseLock several = observed.getLock(List.of("a", "b", FailingObserver.UNWANTED));
		several.lock();

		several.unlock();
		observed.acquire(List.of("d", "e", "f"), LockOptions.defaults()).close();

		String result = observed.execute("g", LockOptions.defaults(), (lease) -> "done");
		assertThat(result).isEqualTo("done");
		assertThat(List.of("a", "b", FailingObserver.UNWANTED, "d", "e", "f", "g"))
			.noneMatch((name) -> this.other.getLock(name).isLocked());
		LeaseLock held = observed.getLock("h");
		held.lock();
		observed.close();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::unlock);
		assertThat(this.other.getLock("h").isLocked()).isFalse();
	}

	static List<Throwable> failures() {
		return List.of(new IllegalStateException("thrown on purpose"), new InternalError("thrown on purpose"),
				new IOException("thrown on purpose"));
	}

	private static final class FailingObserver implements LockObserver {

		static final String UNWANTED = "c";

		private final Throwable failure;

		FailingObserver(Throwable failure) {
			this.failure = failure;
		}

		@Override
		public Attempt wanted(String name, @Nullable String declaredName, boolean fair, LockMode mode) {
			if (name.equals(UNWANTED)) {
				fail();
			}
			return new Attempt() {

				@Override
				public void acquired(Acquisition how, long waitedNanos) {
					fail();
				}

				@Override
				public void reentered() {
					fail();
				}

				@Override
				public void released(Release how, long heldNanos) {
					fail();
				}

			};
		}

		@Override
		public void started(ClientState state) {
			fail();
		}

		@Override
		public void stopped(ClientState state) {
			fail();
		}

		private void fail() {
			this.<RuntimeException>failAs();
		}

		/** Throws what the compiler takes for another type, as other languages do. */
		@SuppressWarnings("unchecked")
		private <T extends Throwable> void failAs() throws T {
			throw (T) this.failure;
		}

	}

}
