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
import java.util.concurrent.CyclicBarrier;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockType;
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

	private static final Duration WATCHDOG = Duration.ofSeconds(1);

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

	private LocalLockClient open(LockObserver observer) {
		LocalLockClient opened = LocalLockClient.builder()
			.locks(this.locks)
			.watchdogTimeout(WATCHDOG)
			.observer(observer)
			.observer(new LossObserver((loss) -> this.heard.add(loss.name())))
			.build();
		this.client = opened;
		return opened;
	}

	@Test
	void lossesReachOtherObserversAndTheLogWhileOneNeverReturns() throws Exception {
		Queue<String> lost = new ConcurrentLinkedQueue<>();
		LocalLockClient observed = LocalLockClient.builder()
			.locks(this.locks)
			.watchdogTimeout(WATCHDOG)
			.observer(new LossObserver((loss) -> block()))
			.observer(new LossObserver((loss) -> lost.add(loss.name() + " " + loss.cause())))
			.build();
		this.client = observed;
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
				.untilAsserted(() -> assertThat(log.messages(Level.WARN)).hasSize(2)
					.last()
					.asString()
					.startsWith("Lock 'b' with fencing token "));
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
		observed.acquire("held", LockOptions.defaults());

		try (LogCapture log = LogCapture.open()) {
			for (int i = 0; i < losses; i++) {
				observed.directory().forceUnlock("lock-" + i);
			}

			Awaitility.await()
				.atMost(TestThreads.LONG)
				.until(() -> log.messages(Level.WARN)
					.stream()
					.anyMatch((message) -> message.startsWith("A LockObserver is too slow: it is not told of ")));
		}
	}

	@Test
	void slowActionDelaysLaterOnesOfItsClientAndNothingElse() throws Exception {
		LocalLockClient slow = open(new LossObserver((loss) -> {
		}));
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

			Awaitility.await("renewals").atMost(TestThreads.LONG).during(WATCHDOG.multipliedBy(2)).until(held::isValid);
			assertThat(this.heard).containsExactlyInAnyOrder("a", "b", "action c");
			this.released.countDown();
			Awaitility.await("the later action").atMost(TestThreads.LONG).until(() -> this.heard.contains("action b"));
		}
	}

	@Test
	void renewalsDoNotWaitForOneThatIsToldOfADeadlock() throws Exception {
		LocalLockClient observed = open(new LockObserver() {

			@Override
			public void deadlocked(List<String> names) {
				block();
			}

		});
		Lease held = observed.acquire("held", LockOptions.defaults());
		CyclicBarrier bothHoldOne = new CyclicBarrier(2);
		TestThreads.Running<Void> one = this.threads.run(() -> acquire(observed, "a", "b", bothHoldOne));
		TestThreads.Running<Void> two = this.threads.run(() -> acquire(observed, "b", "a", bothHoldOne));
		this.blocked.await();

		Awaitility.await("renewals").atMost(TestThreads.LONG).during(WATCHDOG.multipliedBy(2)).until(held::isValid);

		held.close();
		one.interrupt();
		two.interrupt();
	}

	private static void acquire(LocalLockClient client, String first, String second, CyclicBarrier bothHoldOne)
			throws Exception {
		LeaseLock outer = client.getLock(first);
		outer.lock();
		try {
			bothHoldOne.await();
			client.getLock(second).tryLock(TestThreads.LONG);
		}
		catch (InterruptedException ex) {
			// The test is over.
		}
		finally {
			outer.unlock();
		}
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
			public Attempt wanted(String name, @Nullable String declaredName, LockType type) {
				blockFirst();
				return Attempt.UNOBSERVED;
			}

		});
		TestThreads.Running<Void> waiting = this.threads
			.run(() -> observed.acquire("a", LockOptions.defaults()).close());
		this.blocked.await();
		LeaseLock lock = observed.getLock("a");

		assertThat(lock.tryLock(Duration.ofMillis(300))).isTrue();

		lock.unlock();
		this.released.countDown();
		waiting.result();
	}

	@Test
	void lockIsRenewedWhileAnObserverIsToldOfIt() throws Exception {
		LocalLockClient observed = open(new LockObserver() {

			@Override
			public Attempt wanted(String name, @Nullable String declaredName, LockType type) {
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

		assertThat(observed.getLock("a").tryLock(WATCHDOG.multipliedBy(2))).isFalse();

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
