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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LeaseView;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a thread holds, seen as a lease.
 */
class ThreadLeaseTests extends LockContract {

	@Test
	void leaseShowsTheHoldOfTheThread() {
		LeaseLock lock = lock(Duration.ofSeconds(20));
		lock.lock();

		LeaseView lease = lock.lease();

		assertThat(lease.name()).isEqualTo(this.name);
		assertThat(lease.names()).containsExactly(this.name);
		assertThat(lease.token()).isEqualTo(lease.token(this.name)).isEqualTo(lock.token());
		assertThat(lease.validFor()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(20));
		assertThat(this.threads.start(lease::isValid).result()).isTrue();
	}

	@Test
	void leaseLastsUntilTheThreadHasUnlockedAsOftenAsItHasLocked() {
		lock().lock();
		lock().lock();
		LeaseView lease = lock().lease();

		lock().unlock();
		assertThat(lease.isValid()).isTrue();
		lock().unlock();

		assertThat(lease.isValid()).isFalse();
		assertThat(lease.token()).isPositive();
	}

	@Test
	void threadThatDoesNotHoldTheLockHasNoLease() {
		lock().lock();

		assertThat(this.threads.start(() -> lock().lease()).failure()).isInstanceOf(IllegalMonitorStateException.class);
	}

	@Test
	void lossIsToldOnceAndThenThereIsNoLease() {
		Queue<LockLoss> told = new ConcurrentLinkedQueue<>();
		lock().lock();
		LeaseView lease = lock().lease();
		lease.onLost(told::add);

		lock(this.elsewhere).forceUnlock();

		eventually().until(() -> !told.isEmpty());
		assertThat(lease.isValid()).isFalse();
		assertThat(lease.validFor()).isZero();
		Queue<LockLoss> later = new ConcurrentLinkedQueue<>();
		lease.onLost(later::add);
		assertThat(later).containsExactlyElementsOf(told).hasSize(1);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock().lease());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock()::unlock);
	}

	@Test
	void endOfTheLeaseIsToldAtOnceToWhoAsksAfterIt() {
		Queue<LockLoss> told = new ConcurrentLinkedQueue<>();
		LeaseLock lock = lock(clientWithClock(), Duration.ofSeconds(60));
		lock.lock();
		LeaseView lease = lock.lease();
		this.setForward.addAndGet(Duration.ofSeconds(100).toNanos());

		lease.onLost(told::add);

		// By this call, unless the watchdog has found it out just before.
		eventually()
			.untilAsserted(() -> assertThat(told).extracting(LockLoss::cause).containsExactly(LockLoss.Cause.EXPIRED));
	}

	@Test
	void threadWhoseLeaseHasEndedHasNone() {
		LeaseLock lock = lock(clientWithClock(), Duration.ofSeconds(60));
		lock.lock();
		this.setForward.addAndGet(Duration.ofSeconds(100).toNanos());

		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lease)
			.satisfies((ex) -> assertThat(ex.loss().cause()).isEqualTo(LockLoss.Cause.EXPIRED));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
	}

}
