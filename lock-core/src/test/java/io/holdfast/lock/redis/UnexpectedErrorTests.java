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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockType;
import io.holdfast.lock.redis.FaultyConnections.Around;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An {@code Error} that nobody expects, once, anywhere inside a client: whoever met it
 * may fail, but everybody else gets the lock, and what is held is renewed.
 */
@ParameterizedClass(name = "{0} with {1}")
@MethodSource("io.holdfast.lock.redis.LockContract#kinds")
class UnexpectedErrorTests {

	/** Many times what a free lock takes to be had, and less than a lease lasts. */
	private static final Duration SECONDS = Duration.ofSeconds(10);

	@Parameter(0)
	private LockType type;

	@Parameter(1)
	private RedisDriver driver;

	private final RedisProcess server = RedisProcess.shared();

	private final FaultClients clients = new FaultClients(this.server, "error-" + UUID.randomUUID() + ":");

	private final TestThreads threads = new TestThreads();

	private final FailingClock clock = new FailingClock();

	private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	private FaultyConnections connections;

	private RedisLockClient here;

	private RedisLockClient elsewhere;

	@BeforeEach
	void connect() {
		this.connections = new FaultyConnections(this.clients.connect(this.driver, this.server, FaultClients.PATIENCE));
		this.here = client(Duration.ofSeconds(30));
		this.elsewhere = this.clients.open(this.clients.connect(this.driver, this.server, FaultClients.PATIENCE),
				(builder) -> builder.waiterTimeout(Duration.ofSeconds(5)).watchdogTimeout(Duration.ofSeconds(30)));
		FaultClients.awaitHears(this.here, this.elsewhere);
	}

	@AfterEach
	void close() throws Exception {
		try {
			this.threads.close();
		}
		finally {
			this.clients.close();
		}
	}

	private RedisLockClient client(Duration watchdogTimeout) {
		return this.clients.open(this.connections,
				(builder) -> builder.waiterTimeout(Duration.ofSeconds(5))
					.watchdogTimeout(watchdogTimeout)
					.nanoTime(this.clock)
					.listener(this.losses::add));
	}

	@Test
	void waiterBehindAQuestionThatFailsGetsTheLock() throws Exception {
		int round = 0;
		List<Supplier<Error>> errors = new ArrayList<>(errors());
		errors.add(() -> new UnspeakableError(2));
		for (Supplier<Error> error : errors) {
			for (boolean runs : new boolean[] { false, true }) {
				LeaseLock lock = this.here.getLock("question-" + round++, this.type);
				CountDownLatch begun = new CountDownLatch(1);
				CountDownLatch fails = new CountDownLatch(1);
				this.connections.onNext((script) -> {
					begun.countDown();
					fails.await();
					return failing(error, runs).around(script);
				});
				TestThreads.Running<Void> first = this.threads.run(() -> lockAndUnlock(lock));
				begun.await();
				TestThreads.Running<Boolean> second = this.threads.start(() -> isHad(lock));
				second.awaitParkedOrDone();

				fails.countDown();

				awaitEndOf(first);
				assertThat(second.result()).as("the second one got %s", lock).isTrue();
				assertIsFree(lock.name());
			}
		}
	}

	@Test
	void waiterBehindAReleaseThatFailsGetsTheLock() throws Exception {
		int round = 0;
		for (Supplier<Error> error : errors()) {
			for (boolean runs : new boolean[] { false, true }) {
				LeaseLock lock = this.here.getLock("release-" + round++, this.type);
				CountDownLatch unlocks = new CountDownLatch(1);
				CountDownLatch locked = new CountDownLatch(1);
				TestThreads.Running<Void> first = this.threads.run(() -> {
					lock.lock();
					locked.countDown();
					unlocks.await();
					unlock(lock);
				});
				locked.await();
				// A lease of its own, so that the release goes to Redis.
				TestThreads.Running<Boolean> second = this.threads.start(() -> {
					boolean had = lock.tryLock(SECONDS, Duration.ofMinutes(1));
					unlock(lock);
					return had;
				}).awaitParked();
				this.connections.onNext(failing(error, runs));

				unlocks.countDown();

				awaitEndOf(first);
				assertThat(second.result()).as("the second one got %s", lock).isTrue();
				assertIsFree(lock.name());
			}
		}
	}

	@Test
	void lockIsRenewedAfterARenewalThatFails() {
		LeaseLock lock = client(Duration.ofSeconds(3)).getLock("renewed", this.type);
		lock.lock();
		for (Supplier<Error> error : errors()) {
			this.connections.onNext(failing(error, false));
			FaultClients.await("a renewal", this.connections::hasCome);

			assertIsRenewed(lock);
		}
		lock.unlock();
	}

	@Test
	void lockIsRenewedAfterAnErrorOfAnyThreadOfTheClient() {
		LeaseLock lock = client(Duration.ofSeconds(3)).getLock("renewed", this.type);
		lock.lock();
		for (int readings = 0; readings < 6; readings++) {
			this.clock.failElsewhereAfter(readings);
			FaultClients.await("an error", this.clock::hasFailedElsewhere);

			assertIsRenewed(lock);
		}
		lock.unlock();
	}

	@Test
	void othersGetTheLockAfterAnErrorAnywhereInLock() throws Exception {
		boolean failed = true;
		for (int readings = 0; failed; readings++) {
			LeaseLock lock = this.here.getLock("lock-" + readings, this.type);
			this.clock.failHereAfter(readings);
			try {
				lock.lock();
			}
			catch (FailingClock.OnPurpose ex) {
				// Then this thread does not have it, although it lives on.
			}
			failed = this.clock.hasFailedHere();
			if (lock.isHeldByCurrentThread()) {
				// There was none, or it was tried once more.
				lock.unlock();
			}

			assertIsFree(lock.name());
		}
	}

	@Test
	void othersGetTheLockAfterAnErrorAnywhereInUnlock() throws Exception {
		boolean failed = true;
		for (int readings = 0; failed; readings++) {
			LeaseLock lock = this.here.getLock("unlock-" + readings, this.type);
			lock.lock();
			this.clock.failHereAfter(readings);

			unlock(lock);

			failed = this.clock.hasFailedHere();
			assertIsFree(lock.name());
		}
	}

	@Test
	void othersGetTheLockAfterAnErrorAnywhereInAWait() throws Exception {
		boolean failed = true;
		for (int round = 0; failed; round++) {
			int readings = round;
			LeaseLock other = this.elsewhere.getLock("wait-" + readings, this.type);
			other.lock();
			LeaseLock lock = this.here.getLock(other.name(), this.type);
			TestThreads.Running<Boolean> first = this.threads.start(() -> {
				this.clock.failHereAfter(readings);
				try {
					lock.lock();
					unlock(lock);
				}
				catch (FailingClock.OnPurpose ex) {
					// Then it does not wait any more.
				}
				return this.clock.hasFailedHere();
			});
			first.awaitParkedOrDone();
			TestThreads.Running<Boolean> second = this.threads.start(() -> isHad(lock)).awaitParked();

			other.unlock();

			assertThat(second.result()).as("the second one got it after an error at reading %d", readings).isTrue();
			failed = first.result();
			assertIsFree(lock.name());
		}
	}

	/**
	 * Errors of a driver. A client that wants to say what happened may meet one of them a
	 * second time.
	 */
	private static List<Supplier<Error>> errors() {
		return List.of(() -> new OutOfMemoryError("thrown on purpose"), () -> new UnspeakableError(1));
	}

	private static Around failing(Supplier<Error> error, boolean runs) {
		return (script) -> {
			if (runs) {
				script.run();
			}
			throw error.get();
		};
	}

	private static void lockAndUnlock(LeaseLock lock) {
		lock.lock();
		unlock(lock);
	}

	/**
	 * Unlocks as somebody does who looks whether that worked.
	 */
	private static void unlock(LeaseLock lock) {
		try {
			lock.unlock();
		}
		catch (RuntimeException | Error ex) {
			if (lock.isHeldByCurrentThread()) {
				lock.unlock();
			}
		}
	}

	private static boolean isHad(LeaseLock lock) throws InterruptedException {
		boolean had = lock.tryLock(SECONDS);
		if (had) {
			lock.unlock();
		}
		return had;
	}

	private void assertIsFree(String name) {
		TestThreads.Running<Boolean> thread = this.threads.start(() -> isHad(this.here.getLock(name, this.type)));
		assertThat(thread.result()).as("another thread got '%s'", name).isTrue();
		TestThreads.Running<Boolean> client = this.threads.start(() -> isHad(this.elsewhere.getLock(name, this.type)));
		assertThat(client.result()).as("another client got '%s'", name).isTrue();
	}

	private void assertIsRenewed(LeaseLock lock) {
		LockContract.awaitRenewalOrEnd(lock::validFor);
		assertThat(lock.isHeldByCurrentThread()).as("the lock is held, and renewed").isTrue();
		assertThat(this.losses).isEmpty();
	}

	private static void awaitEndOf(TestThreads.Running<Void> thread) {
		LockContract.eventually().until(thread::isDone);
		try {
			thread.result();
		}
		catch (RuntimeException | Error ex) {
			// Whoever meets an error may fail.
		}
	}

	/**
	 * Whoever asks it first what it means meets an error again, which may be another
	 * such.
	 */
	private static final class UnspeakableError extends Error {

		private final AtomicBoolean asked = new AtomicBoolean();

		private final int depth;

		UnspeakableError(int depth) {
			this.depth = depth;
		}

		@Override
		public String getMessage() {
			if (this.asked.compareAndSet(false, true)) {
				throw (this.depth > 1) ? new UnspeakableError(this.depth - 1)
						: new StackOverflowError("thrown on purpose");
			}
			return "thrown on purpose, but not said at first";
		}

	}

}
