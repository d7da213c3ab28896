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

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.internal.client.ClientState;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A thread that holds the lock may acquire it again.
 */
class LockReentrancyTests extends LockContract {

	@Test
	void everyFormOfAcquiringReenters() throws Exception {
		LeaseLock lock = lock();
		lock.lock();

		lock.lock();
		lock(Duration.ofSeconds(1)).lock();
		lock.lockInterruptibly();
		lock.acquire();
		assertThat(lock.tryLock()).isTrue();
		assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isTrue();
		assertThat(lock.tryLock(Duration.ZERO)).isTrue();

		assertThat(lock.holdCount()).isEqualTo(8);
	}

	@Test
	void holdCountFollowsLockAndUnlockAndTheLastOneFreesTheLock() {
		LeaseLock lock = lock();
		assertThat(lock.holdCount()).isZero();
		lock.lock();
		lock.lock();
		assertThat(lock.holdCount()).isEqualTo(2);

		lock.unlock();
		assertThat(lock.holdCount()).isEqualTo(1);
		assertThat(isFreeFor(this.elsewhere)).isFalse();
		lock.unlock();
		assertThat(lock.holdCount()).isZero();
		assertThat(isFreeFor(this.elsewhere)).isTrue();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
	}

	@Test
	void reenteringKeepsTheToken() {
		lock().lock();
		long token = lock().token();

		lock().lock();
		long inner = lock().token();
		lock().unlock();

		assertThat(inner).isEqualTo(token);
		assertThat(lock().token()).isEqualTo(token);
	}

	@Test
	void holdCountDoesNotOverflow() {
		lock().lock();
		ClientState.setCount(this.here, this.name, Integer.MAX_VALUE);

		assertThatIllegalStateException().isThrownBy(() -> lock().lock()).withMessageContaining(this.name);
		assertThatIllegalStateException().isThrownBy(() -> lock().tryLock());

		assertThat(lock().holdCount()).isEqualTo(Integer.MAX_VALUE);
		ClientState.setCount(this.here, this.name, 1);
		lock().unlock();
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void threadThatHoldsTheLockReentersItBeforeThoseWhoWait() {
		lock().lock();
		TestThreads.Running<Void> local = this.threads.run(() -> lockAndUnlock(this.here)).awaitParked();
		TestThreads.Running<Void> remote = this.threads.run(() -> lockAndUnlock(this.elsewhere)).awaitParked();

		assertThat(lock().tryLock()).isTrue();
		lock().unlock();
		assertThat(local.isDone() || remote.isDone()).isFalse();

		lock().unlock();
		local.result();
		remote.result();
	}

	private void lockAndUnlock(LockClient client) {
		lock(client).lock();
		lock(client).unlock();
	}

	@Test
	void holdOfAnotherThreadIsNotSeen() {
		lock().lock();

		this.threads.run(() -> {
			assertThat(lock().isHeldByCurrentThread()).isFalse();
			assertThat(lock().holdCount()).isZero();
			assertThat(lock().validFor()).isZero();
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock().token());
		}).result();
	}

	@Test
	void unlockOfThreadThatDoesNotHoldIsRefusedAndChangesNothing() {
		lock().lock();

		Throwable thrown = this.threads.run(() -> lock().unlock()).failure();

		assertThat(thrown).isInstanceOf(IllegalMonitorStateException.class)
			.hasMessageContaining(this.name)
			.hasMessageContaining("test-thread")
			.hasMessageContaining(this.here.id());
		assertThat(lock().isHeldByCurrentThread()).isTrue();
		assertThat(isFreeFor(this.elsewhere)).isFalse();
	}

	@Test
	void unlockByTheSameThreadThroughAnotherClientIsRefused() {
		lock(this.here).lock();

		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock(this.elsewhere).unlock())
			.withMessageContaining(this.elsewhere.id());
		assertThat(lock(this.here).isHeldByCurrentThread()).isTrue();
	}

}
