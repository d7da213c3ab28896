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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * A hold that ended before its release is lost: everybody concerned is told, once.
 */
@Tag("topology")
class LockLossTests extends LockContract {

	private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	/**
	 * Tells of its losses.
	 */
	private LockClient client;

	private LeaseLock lock;

	@BeforeEach
	void makeClient() {
		this.client = client((builder) -> builder.observer(new LossObserver(this.losses::add))
			.waiterTimeout(Duration.ofMillis(600))
			.nanoTime(() -> System.nanoTime() + this.setForward.get()));
		this.lock = lock(this.client);
	}

	@Test
	void deletedKeyIsFoundByTheWatchdog() {
		this.lock.lock();
		redis().delete(key());

		setForwardToRenewal();

		assertLost(Cause.GONE);
	}

	@Test
	void deletedKeyIsFoundByUnlock() {
		lock(this.client, Duration.ofSeconds(60)).lock();
		long token = this.lock.token();
		redis().delete(key());

		assertUnlockReportsLoss(token, Cause.GONE);
		assertToldOnce(token, Cause.GONE);
	}

	@Test
	void endOfTheLeaseIsNoticedWithoutTheServer() {
		Instant before = Instant.now();
		lock(this.client, Duration.ofSeconds(60)).lock();
		Instant locked = Instant.now();

		this.setForward.addAndGet(Duration.ofSeconds(100).toNanos());

		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThat(this.lock.holdCount()).isZero();
		assertThat(this.lock.validFor()).isZero();
		LockLoss loss = assertLost(Cause.EXPIRED);
		// By the clock that was set forward it ended 40 s ago.
		assertThat(loss.at()).isBetween(before.minusSeconds(42), locked.minusSeconds(38));
	}

	@Test
	void endOfTheLeaseIsToldWithoutAnybodyAsking() {
		lock(this.client, Duration.ofSeconds(60)).lock();
		long token = this.lock.token();

		this.setForward.addAndGet(Duration.ofSeconds(100).toNanos());

		assertToldOnce(token, Cause.EXPIRED);
	}

	@Test
	void endOfAShortLeaseIsToldAtOnce() throws Exception {
		BlockingQueue<Long> toldAt = new LinkedBlockingQueue<>();
		LockClient patient = client(
				(builder) -> builder.observer(new LossObserver((loss) -> toldAt.add(System.nanoTime()))));
		Duration soonest = LONG;
		// Just told, the watchdog of such a client may sleep for a second. A busy machine
		// may do so, too, but not each time.
		for (int i = 0; i < 5; i++) {
			LeaseLock shortly = patient.getLock(this.name + i, options().leaseTime(SOON));
			shortly.lock();
			long endsAt = System.nanoTime() + shortly.validFor().toNanos();

			Long told = toldAt.poll(LONG.toSeconds(), TimeUnit.SECONDS);
			assertThat(told).as("round %d", i).isNotNull();
			Duration late = Duration.ofNanos(told - endsAt);
			soonest = (i > 0 && late.compareTo(soonest) < 0) ? late : soonest;
		}
		assertThat(soonest).isLessThan(Duration.ofMillis(500));
	}

	@Test
	void forcedReleaseIsToldByMessage() {
		awaitSubscription(this.client);
		lock(this.client, Duration.ofMinutes(10)).lock();

		boolean forced = lock(this.elsewhere).forceUnlock();

		assertThat(forced).isTrue();
		assertLost(Cause.FORCED);
	}

	@Test
	void forcedReleaseIsToldAlthoughThereWasNoSubscription() {
		for (int i = 0; i < 5; i++) {
			LeaseLock fresh = lock(client((builder) -> builder.waiterTimeout(Duration.ofMillis(600))),
					Duration.ofMinutes(10));
			fresh.lock();

			lock(this.elsewhere).forceUnlock();

			eventually().pollInSameThread().until(() -> !fresh.isHeldByCurrentThread());
		}
	}

	@Test
	void forcedReleaseOfFreeLockReleasesNothing() {
		assertThat(this.lock.forceUnlock()).isFalse();
		assertThat(this.client.directory().forceUnlock(this.name)).isEmpty();
	}

	@Test
	void observerIsToldEvenIfAnotherOneFails() {
		LockClient client = client((builder) -> builder.observer(new LossObserver((loss) -> {
			throw new IllegalStateException("thrown on purpose");
		})).observer(new LossObserver((loss) -> {
			throw new AssertionError("thrown on purpose");
		}))
			.observer(new LossObserver(this.losses::add))
			.waiterTimeout(Duration.ofMillis(600))
			.nanoTime(() -> System.nanoTime() + this.setForward.get()));
		lock(client, Duration.ofSeconds(60)).lock();
		long token = lock(client).token();

		this.setForward.addAndGet(Duration.ofSeconds(100).toNanos());

		assertToldOnce(token, Cause.EXPIRED);
	}

	@Test
	void eachLossIsToldOnceHoweverManyThreadsFindThem() throws Exception {
		int threads = 8;
		int each = 50;
		List<TestThreads.Running<Void>> finders = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			String prefix = this.name + ":" + i + ":";
			finders.add(this.threads.start(() -> {
				for (int j = 0; j < each; j++) {
					LeaseLock own = this.client.getLock(prefix + j, options().leaseTime(Duration.ofMinutes(10)));
					own.lock();
					redis().delete(key(own.name()));
					assertThatExceptionOfType(LockLostException.class).isThrownBy(own::unlock);
				}
				return null;
			}));
		}
		for (TestThreads.Running<Void> finder : finders) {
			finder.result();
		}

		eventually().until(() -> this.losses.size() >= threads * each);
		assertThat(this.losses).extracting(LockLoss::name).doesNotHaveDuplicates();
	}

	@Test
	void lossIsToldLaterIfThereIsNoMemoryNow() {
		AtomicInteger failures = new AtomicInteger(3);
		LockClient client = client((builder) -> builder.observer(new LossObserver(this.losses::add))
			.waiterTimeout(Duration.ofMillis(600))
			.nanoTime(() -> {
				if (isToldOfALoss() && failures.getAndDecrement() > 0) {
					throw new OutOfMemoryError("on purpose");
				}
				return System.nanoTime() + this.setForward.get();
			}));
		lock(client, Duration.ofSeconds(60)).lock();
		long token = lock(client).token();

		this.setForward.addAndGet(Duration.ofSeconds(100).toNanos());

		assertToldOnce(token, Cause.EXPIRED);
		assertThat(failures).hasNonPositiveValue();
	}

	private static boolean isToldOfALoss() {
		return StackWalker.getInstance()
			.walk((frames) -> frames.anyMatch((frame) -> frame.getMethodName().equals("lossOf")));
	}

	@Test
	void lostHoldCannotBeReentered() {
		this.lock.lock();
		redis().delete(key());
		setForwardToRenewal();
		awaitLoss();

		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::lock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::tryLock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.lock.tryLock(LONG));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::lockInterruptibly);
	}

	@Test
	void pauseForLongerThanItsLeaseEndsAHoldThatIsRenewedBeforeAnybodyHasNoticed() throws Exception {
		this.lock.lock();
		this.lock.lock();
		long token = this.lock.token();

		this.setForward.addAndGet(Duration.ofSeconds(31).toNanos());

		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThat(this.lock.holdCount()).isZero();
		assertThat(this.lock.validFor()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::lock);
		assertThat(lock(this.elsewhere).tryLock(LONG)).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertUnlockReportsLoss(token, Cause.EXPIRED);
		assertThat(holder()).isEqualTo(this.elsewhere.id());
	}

	@Test
	void endedLeaseTimeKeepsItsThreadFromNothing() {
		lock(this.client, SOON).lock();
		awaitLoss();

		this.lock.lock();

		assertThat(this.lock.holdCount()).isOne();
		this.lock.unlock();
		assertThat(holder()).isEqualTo("nobody");
	}

	@Test
	void endOfTheOuterLeaseIsToldAfterANestedCallThatAcquiredTheLockAnew() {
		lock(this.client, Duration.ofSeconds(60)).lock();
		long token = this.lock.token();
		lock(this.client, Duration.ofMillis(10)).lock();
		this.setForward.addAndGet(Duration.ofSeconds(100).toNanos());

		this.lock.lock();
		long newToken = this.lock.token();
		this.lock.unlock();

		assertThat(newToken).isGreaterThan(token);
		assertThat(holder()).isEqualTo("nobody");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::lease);
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock)
				.satisfies((ex) -> assertThat(ex.loss().cause()).isEqualTo(Cause.EXPIRED))
				.satisfies((ex) -> assertThat(ex.loss().token()).isEqualTo(token));
		}
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void endsOfSeveralLeasesOfOneThreadAreToldAsOftenAsItHadThem() {
		for (int i = 0; i < 3; i++) {
			lock(this.client, SOON).lock();
			awaitLoss();
		}

		for (int i = 0; i < 3; i++) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		}
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void lossAfterAnEndedLeaseKeepsItsThreadOutOnlyUntilItIsGivenBack() {
		// Else the forced release might be found by a question, as a hold that is gone.
		awaitSubscription(this.client);
		lock(this.client, SOON).lock();
		awaitLoss();
		this.lock.lock();
		lock(this.elsewhere).forceUnlock();
		awaitLoss();

		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::lock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock)
			.satisfies((ex) -> assertThat(ex.loss().cause()).isEqualTo(Cause.FORCED));

		this.lock.lock();
		this.lock.unlock();
	}

	@Test
	void reenteringForLongerLeaseFindsThatTheHoldIsGone() {
		lock(this.client, Duration.ofSeconds(60)).lock();
		long token = this.lock.token();
		redis().delete(key());

		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> lock(this.client, Duration.ofMinutes(5)).lock());

		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertUnlockReportsLoss(token, Cause.GONE);
		assertToldOnce(token, Cause.GONE);
	}

	@Test
	void lateReleaseLeavesTheNextOwnerOfTheSameClientAlone() throws Exception {
		lock(this.client, SOON).lock();
		CountDownLatch released = new CountDownLatch(1);
		TestThreads.Running<Boolean> next = this.threads.start(() -> {
			this.lock.lock();
			released.await();
			return this.lock.isHeldByCurrentThread();
		});
		eventually().pollInSameThread()
			.until(() -> holder().equals(this.client.id()) && !this.lock.isHeldByCurrentThread());

		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		released.countDown();

		assertThat(next.result()).isTrue();
		assertThat(isFreeFor(this.elsewhere)).isFalse();
	}

	private void awaitLoss() {
		eventually().pollInSameThread().until(() -> !this.lock.isHeldByCurrentThread());
	}

	private LockLoss assertLost(Cause cause) {
		long token = this.lock.token();
		awaitLoss();
		assertThat(this.lock.token()).isEqualTo(token);
		LockLoss loss = assertUnlockReportsLoss(token, cause);
		assertToldOnce(token, cause);
		return loss;
	}

	private LockLoss assertUnlockReportsLoss(long token, Cause cause) {
		LockLostException lost = catchThrowableOfType(LockLostException.class, this.lock::unlock);
		LockLoss loss = lost.loss();
		assertThat(lost).hasMessageContainingAll("'" + this.name + "'", Long.toString(token), loss.at().toString());
		assertThat(loss.name()).isEqualTo(this.name);
		assertThat(loss.token()).isEqualTo(token);
		assertThat(loss.cause()).isEqualTo(cause);
		assertThat(loss.at()).isBeforeOrEqualTo(Instant.now());
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
		return loss;
	}

	private void assertToldOnce(long token, Cause cause) {
		eventually().until(() -> !this.losses.isEmpty());
		assertThat(this.losses).singleElement().satisfies((loss) -> {
			assertThat(loss.name()).isEqualTo(this.name);
			assertThat(loss.token()).isEqualTo(token);
			assertThat(loss.cause()).isEqualTo(cause);
		});
	}

}
