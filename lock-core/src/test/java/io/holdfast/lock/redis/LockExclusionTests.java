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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * At most one owner at a time, and the lock moves on when it is released.
 */
@Tag("topology")
class LockExclusionTests extends LockContract {

	private static final int ROUNDS = 100;

	/**
	 * Guarded by the lock under test, and by nothing else.
	 */
	private int counter;

	@Test
	void threadsOfOneClientExcludeEachOther() {
		countWith(this.here, this.here, this.here, this.here);

		assertThat(this.counter).isEqualTo(4 * ROUNDS);
	}

	@Test
	void threadsOfManyClientsExcludeEachOther() {
		countWith(this.here, this.here, this.elsewhere, this.elsewhere);

		assertThat(this.counter).isEqualTo(4 * ROUNDS);
	}

	private void countWith(LockClient... clients) {
		CountDownLatch start = new CountDownLatch(clients.length);
		List<TestThreads.Running<Void>> running = new ArrayList<>();
		for (LockClient client : clients) {
			running.add(this.threads.run(() -> {
				LeaseLock lock = lock(client);
				start.countDown();
				start.await();
				for (int i = 0; i < ROUNDS; i++) {
					lock.lock();
					try {
						int before = this.counter;
						Thread.onSpinWait();
						this.counter = before + 1;
					}
					finally {
						lock.unlock();
					}
				}
			}));
		}
		running.forEach(TestThreads.Running::result);
	}

	@Test
	void oneOfSeveralAttemptsAtTheSameTimeHasSuccess() {
		CyclicBarrier together = new CyclicBarrier(3);
		List<TestThreads.Running<Integer>> running = new ArrayList<>();
		for (LockClient client : List.of(this.here, this.here, this.elsewhere)) {
			running.add(this.threads.start(() -> {
				int had = 0;
				for (int i = 0; i < ROUNDS; i++) {
					together.await();
					boolean has = lock(client).tryLock();
					together.await();
					if (has) {
						had++;
						lock(client).unlock();
					}
				}
				return had;
			}));
		}

		assertThat(running.stream().mapToInt(TestThreads.Running::result).sum()).isEqualTo(ROUNDS);
	}

	@Test
	void threadsThatGiveUpAndThreadsThatWaitExcludeEachOther() {
		List<TestThreads.Running<Integer>> running = new ArrayList<>();
		for (LockClient client : List.of(this.here, this.here, this.elsewhere, this.elsewhere)) {
			running.add(this.threads.start(() -> countImpatiently(client)));
		}

		int counted = running.stream().mapToInt(TestThreads.Running::result).sum();

		assertThat(this.counter).isEqualTo(counted).isPositive();
		// What nobody wanted any more may be given back in the background.
		eventually().until(() -> isFreeFor(this.here));
		eventually().untilAsserted(this::assertNobodyIsInTheQueue);
	}

	private int countImpatiently(LockClient client) throws InterruptedException {
		LeaseLock lock = lock(client);
		int counted = 0;
		for (int i = 0; i < ROUNDS; i++) {
			if (lock.tryLock(Duration.ofMillis(i % 5))) {
				this.counter++;
				counted++;
				lock.unlock();
			}
		}
		return counted;
	}

	@Test
	void lockHeldByThreadIsNotFreeForAnotherThread() {
		lock().lock();

		assertThat(isFreeFor(this.here)).isFalse();
		assertThat(isFreeFor(this.elsewhere)).isFalse();
	}

	@Test
	void lockHeldByHandleIsNotFreeForTheThreadThatAcquiredIt() throws Exception {
		this.here.acquire(this.name, options());

		assertThat(lock().isHeldByCurrentThread()).isFalse();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock().unlock());
		assertThat(lock().tryLock()).isFalse();
		assertThat(this.here.tryAcquire(this.name, options().waitTime(Duration.ZERO))).isEmpty();
	}

	@Test
	void lockHeldByThreadIsNotFreeForHandleOfThatThread() throws Exception {
		lock().lock();

		assertThat(this.here.tryAcquire(this.name, options().waitTime(SOON))).isEmpty();
	}

	@Test
	void typesOfOneNameExcludeEachOther() {
		boolean otherFair = !this.fair;
		lock().lock();

		boolean here = this.threads
			.start(() -> this.here.getLock(this.name, LockOptions.defaults().fair(otherFair)).tryLock())
			.result();
		boolean elsewhere = this.elsewhere.getLock(this.name, LockOptions.defaults().fair(otherFair)).tryLock();

		assertThat(here).isFalse();
		assertThat(elsewhere).isFalse();
	}

	@Test
	void threadThatHoldsTheLockReentersItUnderTheOtherType() {
		lock().lock();

		for (boolean each : new boolean[] { false, true }) {
			assertThat(this.here.getLock(this.name, LockOptions.defaults().fair(each)).tryLock()).isTrue();
		}

		assertThat(lock().holdCount()).isEqualTo(3);
	}

	@Test
	void waitersOfBothTypesAreServed() {
		lock().lock();
		List<TestThreads.Running<Void>> waiting = new ArrayList<>();
		for (LockClient client : List.of(this.here, this.elsewhere)) {
			for (boolean each : new boolean[] { false, true }) {
				waiting.add(this.threads.run(() -> {
					client.getLock(this.name, LockOptions.defaults().fair(each)).lock();
					this.counter++;
					client.getLock(this.name, LockOptions.defaults().fair(each)).unlock();
				}).awaitParked());
			}
		}

		lock().unlock();
		waiting.forEach(TestThreads.Running::result);

		assertThat(this.counter).isEqualTo(4);
	}

	@Test
	void otherKeyPrefixesAreOtherLocks() {
		lock().lock();

		LockClient stranger = client((builder) -> builder.keyPrefix(this.prefix + "stranger:"));

		assertThat(lock(stranger).tryLock()).isTrue();
	}

	@Test
	void closingHandleHandsTheLockToTheClientThatWaits() throws Exception {
		Lease lease = this.here.acquire(this.name, options());
		TestThreads.Running<Lease> waiting = this.threads
			.start(() -> this.elsewhere.acquire(this.name, options().waitTime(LONG)))
			.awaitParked();

		lease.close();

		assertThat(waiting.result().isValid()).isTrue();
		assertThat(holder()).isEqualTo(this.elsewhere.id());
	}

	@Test
	void lockIsLockedForAsLongAsAnybodyHoldsIt() {
		lock().lock();
		boolean whileHeld = lock(this.elsewhere).isLocked();
		lock().unlock();

		assertThat(whileHeld).isTrue();
		assertThat(lock(this.elsewhere).isLocked()).isFalse();
	}

}
