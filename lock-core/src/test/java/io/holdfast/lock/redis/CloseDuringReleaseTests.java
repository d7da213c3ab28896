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
import java.util.Random;
import java.util.concurrent.CountDownLatch;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.testing.Fuzz;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client is closed while a thread of it is just giving a lock back, for which another
 * one of it waits: that one must not get the lock behind the back of the closed client.
 * The waiter has a lease of its own, so the release goes to Redis and asks for the lock
 * again in the same step. The system property {@code close.rounds} says how often that is
 * tried.
 */
class CloseDuringReleaseTests extends LockContract {

	private static final int ROUNDS = Integer.getInteger("close.rounds", 300);

	/** Many times what a free lock takes to be had, and far less than a lease. */
	private static final Duration SECONDS = Duration.ofSeconds(20);

	private static final Duration LEASE = Duration.ofSeconds(60);

	private final Random random = Fuzz.random();

	@Test
	void nothingIsHeldAfterwards() throws Exception {
		for (int round = 0; round < ROUNDS; round++) {
			String lockName = this.name + "-" + round;

			closeDuringRelease(lockName, () -> {
			});

			assertCanBeHad(lockName, round);
		}
	}

	@Test
	void anotherClientThatWaitsIsNext() throws Exception {
		for (int round = 0; round < ROUNDS; round++) {
			String lockName = this.name + "-" + round;
			LeaseLock lock = this.elsewhere.getLock(lockName, options());
			CountDownLatch held = new CountDownLatch(1);
			TestThreads.Running<Boolean> rival = this.threads.start(() -> {
				held.await();
				boolean had = lock.tryLock(SECONDS);
				if (had) {
					lock.unlock();
				}
				return had;
			});

			closeDuringRelease(lockName, () -> {
				held.countDown();
				rival.awaitParked();
			});

			assertThat(rival.result()).as("the rival got the lock in round %d", round).isTrue();
			assertCanBeHad(lockName, round);
		}
	}

	private void assertCanBeHad(String lockName, int round) throws Exception {
		LeaseLock lock = this.elsewhere.getLock(lockName, options());
		assertThat(lock.tryLock(SECONDS)).as("the lock can be had in round %d", round).isTrue();
		lock.unlock();
	}

	private void closeDuringRelease(String lockName, TestThreads.Action whileItIsHeld) throws Exception {
		LockClient closing = client();
		Lease lease = closing.acquire(lockName, options());
		TestThreads.Running<Void> waiting = this.threads.run(() -> {
			LeaseLock lock = closing.getLock(lockName, options().leaseTime(LEASE));
			try {
				lock.lock();
				lock.unlock();
			}
			catch (LockException ex) {
				// The client was closed, before or while it had the lock.
			}
		}).awaitParked();
		whileItIsHeld.run();
		CountDownLatch start = new CountDownLatch(1);
		TestThreads.Running<Void> releasing = this.threads.run(() -> {
			start.await();
			try {
				lease.close();
			}
			catch (LockLostException ex) {
				// The client was closed before.
			}
		});
		long delayNanos = this.random.nextInt(1_000_000);

		start.countDown();
		long startNanos = System.nanoTime();
		while (System.nanoTime() - startNanos < delayNanos) {
			Thread.onSpinWait();
		}
		closing.close();

		releasing.result();
		waiting.result();
	}

}
