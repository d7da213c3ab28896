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

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.testing.LossObserver;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A lock that whoever has the handle owns.
 */
class LeaseHandleTests extends LockContract {

	private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	@Test
	void anyThreadMayCloseIt() throws Exception {
		Lease lease = this.here.acquire(this.name, options());

		long token = lease.token();

		this.threads.run(lease::close).result();

		assertThat(lease.isValid()).isFalse();
		assertThat(lease.validFor()).isZero();
		assertThat(lease.token()).isEqualTo(token);
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void closingAgainHasNoEffect() throws Exception {
		Lease lease = this.here.acquire(this.name, options());
		lease.close();
		Lease next = this.here.acquire(this.name, options());

		lease.close();

		assertThat(next.isValid()).isTrue();
		assertThat(isFreeFor(this.elsewhere)).isFalse();
	}

	@Test
	void leaseOutlivesTheThreadThatAcquiredIt() {
		LockClient client = clientWithClock();

		Lease lease = this.threads.start(() -> client.acquire(this.name, options())).result();

		assertRenewedPastItsTimeout(lease::validFor);
		assertThat(lease.isValid()).isTrue();
	}

	@Test
	void lossIsToldOnce() throws Exception {
		Lease lease = this.here.acquire(this.name, options().leaseTime(SOON));
		lease.onLost(this.losses::add);

		eventually().until(() -> !this.losses.isEmpty());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);

		assertThat(lease.isValid()).isFalse();
		assertThat(this.losses).singleElement().satisfies((loss) -> {
			assertThat(loss.cause()).isEqualTo(Cause.EXPIRED);
			assertThat(loss.token()).isEqualTo(lease.token());
		});
		awaitForgotten(this.here);
	}

	@Test
	void everyActionIsToldOfTheLossEvenIfOneFails() throws Exception {
		awaitSubscription(this.here);
		Lease lease = this.here.acquire(this.name, options().leaseTime(Duration.ofMinutes(1)));
		lease.onLost((loss) -> {
			throw new IllegalStateException("thrown on purpose");
		});
		lease.onLost(this.losses::add);
		lease.onLost(this.losses::add);

		lock(this.elsewhere).forceUnlock();

		eventually().until(() -> this.losses.size() == 2);
	}

	@Test
	void releaseIsNoLoss() throws Exception {
		LockClient client = client((builder) -> builder.observer(new LossObserver(this.losses::add))
			.nanoTime(() -> System.nanoTime() + this.setForward.get()));
		Lease lease = client.acquire(this.name, options().leaseTime(Duration.ofSeconds(60)));
		lease.onLost(this.losses::add);

		lease.throwIfLost();
		lease.close();
		lease.throwIfLost();
		this.setForward.addAndGet(Duration.ofSeconds(100).toNanos());
		// The next holder's loss is told after everything that there was to tell.
		Lease next = client.acquire(this.name, options().leaseTime(SOON));
		eventually().until(() -> !this.losses.isEmpty());

		assertThat(this.losses).singleElement().extracting(LockLoss::token).isEqualTo(next.token());
	}

	@Test
	void closingLostLeaseThrowsOnceAndLeavesTheNextOwnerAlone() throws Exception {
		Lease lease = this.here.acquire(this.name, options().leaseTime(SOON));
		assertThat(lock(this.elsewhere).tryLock(LONG)).isTrue();

		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::throwIfLost);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close)
			.satisfies((ex) -> assertThat(ex.loss().token()).isEqualTo(lease.token()));
		lease.close();

		assertThat(holder()).isEqualTo(this.elsewhere.id());
	}

}
