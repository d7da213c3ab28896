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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockDirectory.QueuedWaiter;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * In which order waiters get the lock. Fair ones wait for a holder of either type.
 */
class LockOrderTests extends LockContract {

	private final List<Integer> order = new ArrayList<>();

	@Test
	void fairGrantsComeInTheOrderInWhichTheRequestsReachedRedis() {
		List<LockClient> clients = List.of(this.here, this.elsewhere, client());
		lock().lock();
		List<TestThreads.Running<Void>> waiting = new ArrayList<>();
		for (int i = 0; i < 24; i++) {
			int number = i;
			waiting.add(this.threads.run(() -> lockAs(number, fair(clients.get(number % 3)))));
			eventually().until(() -> queueLength() == number + 1);
		}

		lock().unlock();
		waiting.forEach(TestThreads.Running::result);

		assertThat(this.order).isEqualTo(IntStream.range(0, 24).boxed().toList());
	}

	@Test
	void fairThreadsOfOneClientGetTheLockFromRedisInOrderAndWithTokensOfTheirOwn() {
		StringRedisTemplate redis = redis();
		lock(this.elsewhere).lock();
		List<Long> tokens = new ArrayList<>();
		List<Long> inRedis = new ArrayList<>();
		List<TestThreads.Running<Void>> waiting = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			int number = i;
			LeaseLock lock = fair((number < 5) ? this.here : this.elsewhere);
			waiting.add(this.threads.run(() -> {
				lock.lock();
				this.order.add(number);
				tokens.add(lock.token());
				inRedis.add(Long.valueOf((String) redis.opsForHash().get(key(), "token")));
				lock.unlock();
			}));
			eventually().until(() -> queueLength() == number + 1);
		}

		lock(this.elsewhere).unlock();
		waiting.forEach(TestThreads.Running::result);

		assertThat(this.order).containsExactly(0, 1, 2, 3, 4, 5);
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
		assertThat(inRedis).isEqualTo(tokens);
		assertThat(queueLength()).isZero();
	}

	@Test
	void holdThatWasPassedOnCanBeTakenByForceAndGoesToTheNext() {
		CountDownLatch lost = new CountDownLatch(1);
		LockClient ousted = client((builder) -> builder.observer(new LossObserver((loss) -> lost.countDown())));
		TestThreads.Running<Void> owner = passTo(ousted, () -> {
			lost.await();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock(ousted)::unlock);
		});
		TestThreads.Running<Void> next = this.threads.run(() -> lockAs(3, fair(this.elsewhere))).awaitParked();

		assertThat(this.elsewhere.directory().forceUnlock(this.name)).isPresent();

		next.result();
		owner.result();
		assertThat(queueLength()).isZero();
	}

	@Test
	void clientThatClosesWhileAPassedHoldIsUsedLeavesNothingBehind() {
		LockClient closing = client();
		CountDownLatch closed = new CountDownLatch(1);
		TestThreads.Running<Void> owner = passTo(closing, () -> {
			closed.await();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock(closing)::unlock);
		});
		TestThreads.Running<Void> next = this.threads.run(() -> lockAs(3, fair(this.elsewhere))).awaitParked();

		closing.close();
		closed.countDown();

		owner.result();
		next.result();
		assertThat(queueLength()).isZero();
	}

	/**
	 * Has a thread of a client get the lock from another one, unless the machine is so
	 * slow that the time for that is over.
	 * @param work what it does with it
	 */
	private TestThreads.Running<Void> passTo(LockClient client, TestThreads.Action work) {
		CountDownLatch passed = new CountDownLatch(1);
		lock(this.elsewhere).lock();
		this.threads.run(() -> lockAs(0, lock(client))).awaitParked();
		this.threads.run(() -> lockAs(1, lock(client))).awaitParked();
		TestThreads.Running<Void> last = this.threads.run(() -> {
			lock(client).lock();
			passed.countDown();
			work.run();
		}).awaitParked();
		lock(this.elsewhere).unlock();
		eventually().until(() -> passed.getCount() == 0);
		return last;
	}

	@Test
	void fairThreadThatReleasesGoesBehindThoseWhoWait() {
		lock().lock();
		TestThreads.Running<Void> remote = this.threads.run(() -> lockAs(1, fair(this.elsewhere)));
		eventually().until(() -> queueLength() == 1);

		lock().unlock();
		lockAs(2, fair(this.here));
		remote.result();

		assertThat(this.order).containsExactly(1, 2);
	}

	@Test
	void fairWaitersThatLeftAreSkipped() {
		lock().lock();
		List<TestThreads.Running<Void>> waiting = new ArrayList<>();
		for (int i = 0; i < 9; i++) {
			int number = i;
			LeaseLock lock = fair((number % 2 == 0) ? this.here : this.elsewhere);
			waiting.add(this.threads.run(() -> {
				lock.lockInterruptibly();
				this.order.add(number);
				lock.unlock();
			}));
			eventually().until(() -> queueLength() == number + 1);
		}
		for (int leaver : List.of(0, 4, 5, 8)) {
			waiting.get(leaver).interrupt();
			assertThat(waiting.get(leaver).failure()).isInstanceOf(InterruptedException.class);
		}

		lock().unlock();
		List.of(1, 2, 3, 6, 7).forEach((stayer) -> waiting.get(stayer).result());

		assertThat(this.order).containsExactly(1, 2, 3, 6, 7);
	}

	@Test
	void clientsGetReentrantLockInTheOrderInWhichTheyJoined() {
		lock().lock();
		List<TestThreads.Running<Void>> waiting = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			int number = i;
			LockClient client = client();
			waiting.add(this.threads.run(() -> lockAs(number, lock(client))));
			eventually().until(() -> queueLength() == number + 1);
		}

		lock().unlock();
		waiting.forEach(TestThreads.Running::result);

		assertThat(this.order).containsExactly(0, 1, 2, 3, 4);
	}

	@Test
	void busyClientDoesNotStarveTheOthers() {
		awaitSubscription(this.here);
		AtomicBoolean stop = new AtomicBoolean();
		List<TestThreads.Running<Void>> running = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			running.add(this.threads.run(() -> {
				boolean goesOn = true;
				while (goesOn) {
					lock().lock();
					goesOn = !stop.get();
					lock().unlock();
				}
			}));
		}

		for (int i = 0; i < 20; i++) {
			lock(this.elsewhere).lock();
			stop.set(i == 19);
			lock(this.elsewhere).unlock();
		}

		running.forEach(TestThreads.Running::result);
	}

	@Test
	void waiterThatLivesKeepsItsPlaceForAsLongAsItWaits() {
		List<LockClient> clients = new ArrayList<>();
		lock().lock();
		for (int i = 0; i < 5; i++) {
			LockClient client = client((builder) -> builder.waiterTimeout(Duration.ofSeconds(6)));
			clients.add(client);
			int length = i + 1;
			this.threads.run(() -> lockAs(length, lock(client))).awaitParked();
			eventually().until(() -> queueLength() == length);
		}

		eventually().during(Duration.ofSeconds(7))
			.until(() -> this.here.directory()
				.queue(this.name, 10)
				.stream()
				.filter(QueuedWaiter::alive)
				.map(QueuedWaiter::client)
				.toList()
				.equals(clients.stream().map(LockClient::id).toList()));

		lock().unlock();
	}

	private LeaseLock fair(LockClient client) {
		return client.getLock(this.name, LockOptions.defaults().fair(true));
	}

	private void lockAs(int number, LeaseLock lock) {
		lock.lock();
		this.order.add(number);
		lock.unlock();
	}

}
