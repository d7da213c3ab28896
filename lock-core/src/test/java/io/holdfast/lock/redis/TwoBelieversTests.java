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
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.TestThreads;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Redis lost its data and grants a lock again, to another owner of the same client: that
 * client knows both, so from then on only the newer one is held. The type of the run is
 * that of the older hold.
 */
class TwoBelieversTests extends LockContract {

	/** So long that nothing else ends a hold during a test. */
	private static final Duration LEASE = Duration.ofSeconds(60);

	private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	private LockClient client;

	@BeforeEach
	void makeClient() {
		this.client = client((builder) -> builder.observer(new LossObserver(this.losses::add)));
	}

	@Test
	void olderLeaseIsLostAtOnce() throws Exception {
		for (boolean newer : newerOrders()) {
			assertOlderLeaseIsLost(newer, LockOptions.WATCHDOG);
			assertOlderLeaseIsLost(newer, LEASE);
		}
	}

	private void assertOlderLeaseIsLost(boolean newerFair, Duration lease) throws Exception {
		String lockName = this.name + newerFair + lease;
		this.losses.clear();
		Lease older = this.client.acquire(lockName, options().leaseTime(lease));
		loseData(lockName);

		Lease newer = this.client.acquire(lockName, LockOptions.defaults().fair(newerFair));

		assertThat(older.isValid()).as("the older hold, the newer one fair: %s", newerFair).isFalse();
		assertThat(older.validFor()).isZero();
		assertThat(newer.isValid()).isTrue();
		assertThat(newer.token()).isGreaterThan(older.token());
		assertToldOnce(lockName, older.token());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(older::close);
		assertThat(this.elsewhere.getLock(lockName).tryLock()).isFalse();
		newer.close();
		assertThat(this.elsewhere.getLock(lockName).tryLock()).isTrue();
	}

	@Test
	void olderThreadHasLostTheLockAtOnce() throws Exception {
		for (boolean newer : newerOrders()) {
			assertOlderThreadHasLost(newer, LockOptions.WATCHDOG);
			assertOlderThreadHasLost(newer, LEASE);
		}
	}

	private void assertOlderThreadHasLost(boolean newerFair, Duration lease) throws Exception {
		String lockName = this.name + newerFair + lease;
		this.losses.clear();
		LeaseLock older = this.client.getLock(lockName, options().leaseTime(lease));
		older.lock();
		long token = older.token();
		loseData(lockName);
		CountDownLatch granted = new CountDownLatch(1);
		CountDownLatch done = new CountDownLatch(1);

		TestThreads.Running<Boolean> newer = this.threads.start(() -> {
			LeaseLock lock = this.client.getLock(lockName, LockOptions.defaults().fair(newerFair));
			lock.lock();
			granted.countDown();
			done.await();
			boolean held = lock.isHeldByCurrentThread();
			lock.unlock();
			return held;
		});

		granted.await();
		try {
			assertThat(older.isHeldByCurrentThread()).as("the older hold, the newer one fair: %s", newerFair).isFalse();
			assertThat(older.validFor()).isZero();
			assertToldOnce(lockName, token);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(older::unlock)
				.satisfies((ex) -> assertThat(ex.loss().token()).isEqualTo(token));
		}
		finally {
			done.countDown();
		}
		assertThat(newer.result()).isTrue();
	}

	@Test
	void olderHoldIsLostWhenTheNewerOneIsHandedOver() throws Exception {
		for (boolean newerFair : newerOrders()) {
			String lockName = this.name + newerFair;
			this.losses.clear();
			Lease older = this.client.acquire(lockName, options().leaseTime(LEASE));
			loseData(lockName);
			LeaseLock other = this.elsewhere.getLock(lockName);
			other.lock();
			TestThreads.Running<Lease> waiting = this.threads
				.start(() -> this.client.acquire(lockName, LockOptions.defaults().fair(newerFair).waitTime(LONG)))
				.awaitParked();

			other.unlock();

			Lease newer = waiting.result();
			assertThat(older.isValid()).as("the older hold, the newer one fair: %s", newerFair).isFalse();
			assertThat(newer.isValid()).isTrue();
			assertThat(newer.token()).isGreaterThan(older.token());
			assertToldOnce(lockName, older.token());
			newer.close();
		}
	}

	/**
	 * A thread that wants the lock and not fairly waits behind another one of the same
	 * client that has it so, and asks nobody.
	 */
	private List<Boolean> newerOrders() {
		return this.fair ? List.of(false, true) : List.of(true);
	}

	/**
	 * What {@code FLUSHALL} does to this lock.
	 */
	private void loseData(String lockName) {
		assertThat(redis().delete(key(lockName))).isTrue();
	}

	private void assertToldOnce(String lockName, long token) {
		eventually()
			.untilAsserted(() -> assertThat(this.losses).extracting(LockLoss::name, LockLoss::token, LockLoss::cause)
				.containsExactly(Assertions.tuple(lockName, token, Cause.GONE)));
	}

}
