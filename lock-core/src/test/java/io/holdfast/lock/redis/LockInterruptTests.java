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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Interrupts do what {@link java.util.concurrent.locks.Lock} says.
 */
class LockInterruptTests extends LockContract {

	@Test
	void interruptibleFormsThrowOnEntryAndClearTheStatus() {
		this.threads.run(() -> {
			assertInterruptedOnEntry(() -> lock().lockInterruptibly());
			assertInterruptedOnEntry(() -> lock().tryLock(0, TimeUnit.SECONDS));
			assertInterruptedOnEntry(() -> lock().tryLock(Duration.ofSeconds(1)));
			assertInterruptedOnEntry(() -> lock().acquire());
			assertInterruptedOnEntry(() -> this.here.acquire(this.name, options()));
			assertInterruptedOnEntry(() -> this.here.tryAcquire(this.name, options()));
		}).result();

		assertThat(keys()).isEmpty();
		awaitForgotten(this.here);
	}

	private static void assertInterruptedOnEntry(TestThreads.Action action) {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(action::run);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void executeThrowsOnEntryAndKeepsTheStatus() {
		this.threads.run(() -> {
			Thread.currentThread().interrupt();
			assertThatIllegalStateException()
				.isThrownBy(() -> this.here.execute(this.name, options(), (lease) -> "ran"))
				.withCauseInstanceOf(InterruptedException.class);
			assertThat(Thread.interrupted()).isTrue();
		}).result();

		assertThat(keys()).isEmpty();
		awaitForgotten(this.here);
	}

	@Test
	void interruptOnEntryWinsOverReentering() {
		this.threads.run(() -> {
			lock().lock();
			assertInterruptedOnEntry(() -> lock().lockInterruptibly());
			assertThat(lock().holdCount()).isEqualTo(1);
		}).result();
	}

	@Test
	void uninterruptibleFormsAcquireOnInterruptedThreadAndKeepTheStatus() {
		this.threads.run(() -> {
			Thread.currentThread().interrupt();
			lock().lock();
			assertThat(lock().tryLock()).isTrue();
			lock(Duration.ofMinutes(1)).lock();

			assertThat(lock().holdCount()).isEqualTo(3);
			assertThat(Thread.currentThread().isInterrupted()).isTrue();
		}).result();
	}

	@Test
	void firstCallOfClientWorksOnInterruptedThread() {
		this.threads.run(() -> {
			LockClient fresh = client();
			Thread.currentThread().interrupt();

			assertThat(lock(fresh).tryLock()).isTrue();
			assertThat(Thread.currentThread().isInterrupted()).isTrue();
		}).result();
	}

	@Test
	void interruptedThreadUnlocksAndKeepsItsStatus() {
		this.threads.run(() -> {
			lock().lock();
			Thread.currentThread().interrupt();
			lock().unlock();

			assertThat(Thread.currentThread().isInterrupted()).isTrue();
		}).result();

		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void interruptibleWaitEndsAndLeavesNothingBehind() {
		awaitNoQuestionsWhileWaiting();
		lock().lock();
		TestThreads.Running<Void> waiting = this.threads.run(() -> {
			assertThatExceptionOfType(InterruptedException.class)
				.isThrownBy(() -> lock(this.elsewhere).lockInterruptibly());
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			assertThat(lock(this.elsewhere).isHeldByCurrentThread()).isFalse();
		}).awaitParked();

		waiting.interrupt();
		waiting.result();

		eventually().untilAsserted(this::assertNobodyIsInTheQueue);
		awaitForgotten(this.elsewhere);
	}

	@Test
	void interruptWhileTheServerIsAskedLeavesNothingBehind() {
		lock().lock();
		for (int round = 0; round < 50; round++) {
			TestThreads.Running<Void> asking = this.threads.run(() -> lock(this.elsewhere).lockInterruptibly());
			LockSupport.parkNanos(round * 20_000L);
			asking.interrupt();

			assertThat(asking.failure()).isInstanceOf(InterruptedException.class);
			eventually().until(() -> queueLength() == 0);
		}
		awaitForgotten(this.elsewhere);
	}

	@Test
	void timedWaitAndWaitForHandleOrTaskEndWhenInterrupted() {
		lock().lock();
		TestThreads.Running<Boolean> timed = this.threads.start(() -> lock(this.elsewhere).tryLock(LONG)).awaitParked();
		TestThreads.Running<?> handle = this.threads
			.start(() -> this.elsewhere.acquire(this.name, options().waitTime(LONG)))
			.awaitParked();
		TestThreads.Running<Void> lock = this.threads
			.run(this.elsewhere.getLock(this.name, options().waitTime(LONG))::acquire)
			.awaitParked();

		AtomicBoolean ran = new AtomicBoolean();
		TestThreads.Running<Void> task = this.threads
			.run(() -> this.elsewhere.execute(this.name, options().waitTime(LONG),
					(lease) -> ran.compareAndSet(false, true)))
			.awaitParked();

		timed.interrupt();
		handle.interrupt();
		lock.interrupt();
		task.interrupt();

		assertThat(timed.failure()).isInstanceOf(InterruptedException.class);
		assertThat(handle.failure()).isInstanceOf(InterruptedException.class);
		assertThat(lock.failure()).isInstanceOf(InterruptedException.class);
		assertThat(task.failure()).isInstanceOf(IllegalStateException.class)
			.hasMessageContaining("'" + this.name + "'. The task was not run")
			.hasCauseInstanceOf(InterruptedException.class);
		assertThat(ran).isFalse();
		eventually().untilAsserted(this::assertNobodyIsInTheQueue);
		awaitForgotten(this.elsewhere);
	}

	@Test
	void uninterruptibleWaitGoesOnAndSetsTheStatusOnReturn() {
		lock().lock();
		TestThreads.Running<Boolean> waiting = this.threads.start(() -> {
			lock(this.elsewhere, Duration.ofMinutes(1)).lock();
			return Thread.currentThread().isInterrupted() && lock(this.elsewhere).isHeldByCurrentThread();
		}).awaitParked();

		waiting.interrupt();
		eventually().until(() -> !waiting.thread().isInterrupted());
		waiting.awaitParked();
		lock().unlock();

		assertThat(waiting.result()).isTrue();
	}

	@Test
	void attemptOnInterruptedThreadIsToldThatAnotherHoldsTheLockAndKeepsTheStatus() {
		lock().lock();

		this.threads.run(() -> {
			Thread.currentThread().interrupt();
			assertThat(lock(this.elsewhere).tryLock()).isFalse();
			assertThat(lock().tryLock()).isFalse();
			assertThat(Thread.currentThread().isInterrupted()).isTrue();
		}).result();
	}

	@Test
	void interruptOfOneWaiterDoesNotDisturbTheOthersOfItsClient() {
		lock().lock();
		TestThreads.Running<Void> first = this.threads.run(() -> lock(this.elsewhere).lockInterruptibly())
			.awaitParked();
		TestThreads.Running<Boolean> second = this.threads.start(() -> lock(this.elsewhere).tryLock(LONG))
			.awaitParked();
		TestThreads.Running<Void> third = this.threads.run(() -> lock(this.elsewhere).lockInterruptibly())
			.awaitParked();

		first.interrupt();
		third.interrupt();
		assertThat(first.failure()).isInstanceOf(InterruptedException.class);
		assertThat(third.failure()).isInstanceOf(InterruptedException.class);
		lock().unlock();

		assertThat(second.result()).isTrue();
	}

	@Test
	void interruptAtTheMomentOfHandOverNeitherLosesNorDuplicatesTheLock() {
		awaitNoQuestionsWhileWaiting();
		for (int round = 0; round < 50; round++) {
			lock().lock();
			TestThreads.Running<Boolean> waiting = this.threads.start(() -> {
				try {
					lock(this.elsewhere).lockInterruptibly();
				}
				catch (InterruptedException ex) {
					assertThat(lock(this.elsewhere).isHeldByCurrentThread()).isFalse();
					return false;
				}
				lock(this.elsewhere).unlock();
				return true;
			}).awaitParked();
			Thread interrupter = new Thread(waiting::interrupt);

			interrupter.start();
			LockSupport.parkNanos(round * 10_000L);
			lock().unlock();

			waiting.result();
			eventually().until(() -> isFreeFor(this.here));
		}
		awaitForgotten(this.elsewhere);
	}

	/**
	 * A question that an interrupt cuts off is taken back in the background, so that the
	 * caller need not wait for a server that may hang. A waiter that hears messages asks
	 * none, unless the machine is so slow that it seems not to.
	 */
	private void awaitNoQuestionsWhileWaiting() {
		awaitSubscription(this.elsewhere);
	}

}
