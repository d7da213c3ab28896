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

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LeaseView;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.TestThreads;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A client that is closed lets go of everything that no owner works with.
 */
@Tag("topology")
class LockClientCloseTests extends LockContract {

	@Test
	void holdOfAnOwnerAtWorkStaysUntilItIsGivenBack() throws Exception {
		LeaseLock held = lock();
		held.lock();
		held.lock();
		Lease lease = this.here.acquire(this.name + "-handle", options());
		LeaseLock next = lock(this.elsewhere);
		LeaseLock nextToLease = this.elsewhere.getLock(lease.name(), options());

		this.here.close();

		assertThat(held.isHeldByCurrentThread()).isFalse();
		assertThat(lease.isValid()).isFalse();
		assertLost(held::unlock);
		assertThat(next.tryLock()).isFalse();
		assertLost(held::unlock);
		assertThat(next.tryLock()).isTrue();
		assertThat(nextToLease.tryLock()).isFalse();
		assertLost(lease::close);
		assertThat(nextToLease.tryLock()).isTrue();
	}

	@Test
	void ownersMayGiveBackAtTheSameTime() throws Exception {
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			leases.add(this.here.acquire(this.name + i, options()));
		}
		this.here.close();
		CountDownLatch start = new CountDownLatch(leases.size());

		List<TestThreads.Running<Void>> owners = leases.stream().map((each) -> this.threads.run(() -> {
			start.countDown();
			start.await();
			each.close();
		})).toList();

		assertThat(owners).allSatisfy((each) -> assertThat(each.failure()).isInstanceOf(LockLostException.class));
		assertThat(leases).allMatch((each) -> this.elsewhere.getLock(each.name(), options()).tryLock());
	}

	@Test
	void holdOfAThreadThatHasEndedIsReleasedAndNoLoss() {
		List<LockLoss> losses = new CopyOnWriteArrayList<>();
		LockClient client = client((builder) -> builder.observer(new LossObserver(losses::add)));
		TestThreads.Running<LeaseView> owner = this.threads.start(() -> {
			lock(client).lock();
			return lock(client).lease();
		});
		LeaseView view = owner.result();
		eventually().until(() -> !owner.thread().isAlive());

		client.close();

		assertThat(lock(this.elsewhere).tryLock()).isTrue();
		assertThat(losses).isEmpty();
		assertThat(view.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(view::throwIfLost);
	}

	@Test
	void waitersAreToldAndLeaveTheQueue() {
		lock().lock();
		List<TestThreads.Running<?>> waiting = List.of(
				this.threads.run(() -> lock(this.elsewhere).lock()).awaitParked(),
				this.threads.run(() -> lock(this.elsewhere).lockInterruptibly()).awaitParked(),
				this.threads.start(() -> lock(this.elsewhere).tryLock(LONG)).awaitParked(),
				this.threads.start(() -> this.elsewhere.acquire(this.name, options().waitTime(LONG))).awaitParked(),
				this.threads
					.start(() -> this.elsewhere.execute(this.name, options().waitTime(LONG), (lease) -> "the task ran"))
					.awaitParked());

		this.elsewhere.close();

		assertThat(waiting)
			.allSatisfy((each) -> assertThat(each.failure()).isInstanceOf(LockClientClosedException.class)
				.hasMessageContaining(this.name));
		assertThat(this.here.directory().queue(this.name, 100)).isEmpty();
	}

	@Test
	void threadsThatBeginToWaitMeanwhileLeaveTheQueueAsWell() {
		lock().lock();
		for (int round = 0; round < 20; round++) {
			LockClient client = client();
			CountDownLatch start = new CountDownLatch(3);
			List<TestThreads.Running<Void>> waiting = new ArrayList<>();
			for (int i = 0; i < 2; i++) {
				waiting.add(this.threads.run(() -> {
					start.countDown();
					lock(client).lock();
				}));
			}
			start.countDown();

			client.close();

			assertThat(waiting)
				.allSatisfy((each) -> assertThat(each.failure()).isInstanceOf(LockClientClosedException.class));
			assertThat(this.here.directory().queue(this.name, 100)).as("queue in round %d", round).isEmpty();
		}
	}

	@Test
	void laterCallsThrow() {
		LeaseLock lock = lock();

		this.here.close();

		assertClosed(lock::lock);
		assertClosed(lock::lockInterruptibly);
		assertClosed(lock::tryLock);
		assertClosed(() -> lock.tryLock(SOON));
		assertClosed(lock::isLocked);
		assertClosed(lock::forceUnlock);
		assertClosed(() -> this.here.acquire(this.name, options()));
		assertClosed(() -> this.here.tryAcquire(this.name, options()));
		assertClosed(() -> this.here.execute(this.name, options(), (lease) -> "the task ran"));
		assertClosed(() -> this.here.directory().find(this.name));
		assertClosed(() -> this.here.directory().queue(this.name, 10));
		assertClosed(() -> this.here.directory().forceUnlock(this.name));
		assertThatExceptionOfType(LockClientClosedException.class)
			.isThrownBy(() -> this.here.directory().list(null, 10))
			.withMessageStartingWith("The lock client is closed. Let work");
	}

	private void assertClosed(TestThreads.Action action) {
		assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(action::run)
			.withMessageMatching(
					"Lock '" + this.name + "'( \\(EXCLUSIVE(, fair)?\\))?: the lock client is closed[.,] .*");
	}

	@Test
	void closingAgainHasNoEffect() {
		this.here.close();
		lock(this.elsewhere).lock();

		this.here.close();

		assertThat(lock(this.elsewhere).isHeldByCurrentThread()).isTrue();
		assertThat(holder()).isEqualTo(this.elsewhere.id());
	}

	@Test
	void ownerAtWorkIsToldThatItLostTheLock() throws Exception {
		List<LockLoss> told = new CopyOnWriteArrayList<>();
		LeaseLock lock = lock();
		lock.lock();
		long token = lock.token();
		Lease lease = this.here.acquire(this.name + "-handle", options());
		lease.onLost(told::add);

		this.here.close();

		assertLost(lock::unlock, this.name, token);
		lock(this.elsewhere).lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::token);
		assertLost(lease::close, lease.name(), lease.token());
		eventually().untilAsserted(() -> assertThat(told).extracting(LockLoss::name, LockLoss::cause)
			.containsExactly(Assertions.tuple(lease.name(), Cause.CLOSED)));
		assertThat(holder()).isEqualTo(this.elsewhere.id());
	}

	@Test
	void taskThatClosesItsClientHasLostItsLock() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.here.execute(this.name, options(), (lease) -> {
				this.here.close();
				return "done";
			}))
			.satisfies((ex) -> assertThat(ex.loss().cause()).isEqualTo(Cause.CLOSED));
	}

	private static void assertLost(TestThreads.Action action) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(action::run);
	}

	private static void assertLost(TestThreads.Action action, String name, long token) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(action::run)
			.satisfies((ex) -> assertThat(ex.loss()).extracting(LockLoss::name, LockLoss::token, LockLoss::cause)
				.containsExactly(name, token, Cause.CLOSED));
	}

	@Test
	void connectionsOfTheApplicationAreSoundAfterClientsWereClosedAtAnyMoment() {
		for (int round = 0; round < 50; round++) {
			LockClient client = client();
			LockSupport.parkNanos(round * 100_000L);
			client.close();

			for (int i = 0; i < 10; i++) {
				redis().opsForValue().set(this.prefix + "value", "text " + i);
				assertThat(redis().opsForValue().get(this.prefix + "value")).isEqualTo("text " + i);
			}
		}
	}

	@Test
	void ownThreadsEndWhileOwnersAreAtWork() {
		Set<Thread> others = clientThreads();
		LockClient client = client();
		lock(client).lock();

		client.close();

		awaitEndOfClientThreads(others);
	}

}
