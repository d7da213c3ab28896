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

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.LogCapture;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** An observer that does not return costs nobody a lock. */
class SlowObserverTests {

	/** Longer than a busy machine stands still. */
	private static final Duration WATCHDOG = Duration.ofSeconds(10);

	private final TestThreads threads = new TestThreads();

	private final LocalLocks locks = new LocalLocks();

	private final CountDownLatch released = new CountDownLatch(1);

	private final CountDownLatch blocked = new CountDownLatch(1);

	private final Queue<String> heard = new ConcurrentLinkedQueue<>();

	private @Nullable LocalLockClient client;

	@AfterEach
	void close() throws Exception {
		this.released.countDown();
		this.threads.close();
		if (this.client != null) {
			this.client.close();
		}
	}

	private LocalLockClient open(LockObserver... observers) {
		return build(LocalLockClient.builder(), observers);
	}

	/**
	 * A client whose locks are soon over unless they are renewed.
	 */
	private LocalLockClient openBrief(LockObserver observer) {
		return build(LocalLockClient.builder().watchdogTimeout(WATCHDOG), observer);
	}

	private LocalLockClient build(LocalLockClientBuilder builder, LockObserver... observers) {
		List.of(observers).forEach(builder::observer);
		LocalLockClient opened = builder.locks(this.locks).build();
		this.client = opened;
		return opened;
	}

	/**
	 * That it is renewed twice: the first time may have begun before.
	 */
	private static void assertIsRenewed(LocalLockClient client, String name) {
		for (int i = 0; i < 2; i++) {
			AtomicReference<Duration> left = new AtomicReference<>(WATCHDOG);
			Awaitility.await("a renewal").atMost(TestThreads.LONG).until(() -> {
				Duration now = client.directory().find(name).orElseThrow().leaseLeft();
				return now.compareTo(left.getAndSet(now)) > 0;
			});
		}
	}

	@Test
	void lossesReachOtherObserversAndTheLogWhileOneNeverReturns() throws Exception {
		Queue<String> lost = new ConcurrentLinkedQueue<>();
		LocalLockClient observed = open(new LossObserver((loss) -> block()),
				new LossObserver((loss) -> lost.add(loss.name() + " " + loss.cause())));
		observed.acquire("a", LockOptions.defaults());
		observed.acquire("b", LockOptions.defaults());

		try (LogCapture log = LogCapture.open()) {
			observed.directory().forceUnlock("a");
			this.blocked.await();
			observed.directory().forceUnlock("b");

			Awaitility.await()
				.atMost(TestThreads.LONG)
				.untilAsserted(() -> assertThat(lost).containsExactly("a FORCED", "b FORCED"));
			Awaitility.await()
				.atMost(TestThreads.LONG)
				.until(() -> log.messages(Level.WARN)
					.stream()
					.anyMatch((message) -> message.startsWith("Lock 'b' with fencing token ")));
		}
		assertThat(this.released.getCount()).isOne();
	}

	@Test
	void droppedNoticesAreWarnedOf() throws Exception {
		LocalLockClient observed = open(new LossObserver((loss) -> block()));
		int losses = 10_100;
		for (int i = 0; i < losses; i++) {
			observed.acquire("lock-" + i, LockOptions.defaults());
		}

		try (LogCapture log = LogCapture.open()) {
			for (int i = 0; i < losses; i++) {
				observed.directory().forceUnlock("lock-" + i);
			}

			Awaitility.await()
				.atMost(TestThreads.LONG)
				.until(() -> log.messages(Level.WARN)
					.stream()
					.anyMatch((message) -> message.startsWith("A LockObserver is too slow: while 10000 ")));
		}
	}

	@Test
	void slowActionDelaysLaterOnesOfItsClientAndNothingElse() throws Exception {
		LocalLockClient slow = openBrief(new LossObserver((loss) -> this.heard.add(loss.name())));
		try (LocalLockClient other = LocalLockClient.builder().locks(this.locks).build()) {
			Lease held = slow.acquire("held", LockOptions.defaults());
			Lease slowest = slow.acquire("a", LockOptions.defaults());
			slowest.onLost((loss) -> block());
			Lease later = slow.acquire("b", LockOptions.defaults());
			later.onLost((loss) -> this.heard.add("action b"));
			Lease elsewhere = other.acquire("c", LockOptions.defaults());
			elsewhere.onLost((loss) -> this.heard.add("action c"));

			slow.directory().forceUnlock("a");
			this.blocked.await();
			slow.directory().forceUnlock("b");
			slow.directory().forceUnlock("c");

			assertIsRenewed(slow, held.name());
			Awaitility.await()
				.atMost(TestThreads.LONG)
				.untilAsserted(() -> assertThat(this.heard).containsExactlyInAnyOrder("a", "b", "action c"));
			this.released.countDown();
			Awaitility.await("the later action").atMost(TestThreads.LONG).until(() -> this.heard.contains("action b"));
		}
	}

	@Test
	void renewalsDoNotWaitForOneThatIsToldOfADeadlock() throws Exception {
		LocalLockClient observed = openBrief(new LockObserver() {

			@Override
			public void deadlocked(List<String> names) {
				block();
			}

		});
		Lease held = observed.acquire("held", LockOptions.defaults());
		Deadlock deadlock = new Deadlock(this.threads, observed);
		this.blocked.await();

		assertIsRenewed(observed, held.name());

		held.close();
		deadlock.end();
	}

	@Test
	void endOfTheClientWaitsForItForABoundedTime() throws Exception {
		LocalLockClient observed = open(new LossObserver((loss) -> block()));
		observed.acquire("a", LockOptions.defaults());

		this.threads.run(observed::close).result();

		this.blocked.await();
		assertThat(this.released.getCount()).isOne();
	}

	@Test
	void lossesThatTheEndOfTheClientBringsAreToldBeforeItIsOver() throws Exception {
		Queue<String> lost = new ConcurrentLinkedQueue<>();
		LocalLockClient observed = open(new LossObserver((loss) -> lost.add(loss.name() + " " + loss.cause())));
		for (int i = 0; i < 100; i++) {
			observed.acquire("lock-" + i, LockOptions.defaults());
		}

		observed.close();

		assertThat(lost).hasSize(100).contains("lock-0 CLOSED", "lock-99 CLOSED");
	}

	@Test
	void callersOfTheSameLockDoNotWaitForOneThatIsToldOfAnAttempt() throws Exception {
		LocalLockClient observed = open(new LockObserver() {

			@Override
			public Attempt wanted(String name, @Nullable String declaredName, boolean fair, LockMode mode) {
				blockFirst();
				return Attempt.UNOBSERVED;
			}

		});
		TestThreads.Running<Void> waiting = this.threads
			.run(() -> observed.acquire("a", LockOptions.defaults()).close());
		this.blocked.await();
		LeaseLock lock = observed.getLock("a");

		assertThat(lock.tryLock(TestThreads.LONG)).isTrue();

		lock.unlock();
		this.released.countDown();
		waiting.result();
	}

	@Test
	void lockIsRenewedWhileAnObserverIsToldOfIt() throws Exception {
		LocalLockClient observed = openBrief(new LockObserver() {

			@Override
			public Attempt wanted(String name, @Nullable String declaredName, boolean fair, LockMode mode) {
				return new Attempt() {

					@Override
					public void acquired(Acquisition how, long waitedNanos) {
						blockFirst();
					}

				};
			}

		});
		TestThreads.Running<Lease> owner = this.threads.start(() -> observed.acquire("a", LockOptions.defaults()));
		this.blocked.await();

		assertIsRenewed(observed, "a");

		this.released.countDown();
		assertThat(owner.result().isValid()).isTrue();
	}

	/**
	 * Blocks the first caller; the test lets the next ones come when that one is there.
	 */
	private void blockFirst() {
		if (this.blocked.getCount() > 0) {
			block();
		}
	}

	private void block() {
		this.blocked.countDown();
		try {
			this.released.await();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

}
