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

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * How long holds last: explicit leases end by themselves, the others are renewed.
 */
class LockLeaseTests extends LockContract {

	@Test
	void explicitLeaseEndsByItselfForThreadsOfTheSameClient() {
		lock(SOON).lock();

		assertThat(this.threads.start(() -> lock().tryLock(LONG)).result()).isTrue();

		assertThat(lock().isHeldByCurrentThread()).isFalse();
	}

	@Test
	void explicitLeaseEndsByItselfAndTheNextWaiterGetsTheLock() throws Exception {
		LockClient client = client((builder) -> builder.watchdogTimeout(Duration.ofMillis(200)));
		lock(client, Duration.ofMillis(400)).lock();
		long token = lock(client).token();

		assertThat(lock(this.elsewhere).tryLock(LONG)).isTrue();

		assertThat(lock(client).isHeldByCurrentThread()).isFalse();
		assertThat(lock(client).validFor()).isZero();
		assertThat(lock(this.elsewhere).token()).isGreaterThan(token);
	}

	@Test
	void explicitLeaseIsWhatRedisKeepsAndNoLessThanTheClientBelieves() {
		lock(Duration.ofSeconds(90)).lock();

		Duration inRedis = leaseInRedis();
		Duration believed = lock().validFor();

		assertThat(inRedis).isBetween(Duration.ofSeconds(50), Duration.ofSeconds(90));
		// Asked later, so what is left must be less, unless the client believes too long.
		assertThat(believed).isBetween(Duration.ofSeconds(50), inRedis.plusMillis(1));
	}

	@Test
	void leaseTimeOfTheClientIsTakenWhenNoneIsGiven() {
		LockClient client = client((builder) -> builder.leaseTime(Duration.ofSeconds(90)));

		lock(client).lock();

		assertThat(leaseInRedis()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(90));
	}

	@Test
	void watchdogCarriesHoldPastItsTimeout() {
		LeaseLock lock = lock(clientWithClock());
		lock.lock();
		long token = lock.token();

		assertRenewedPastItsTimeout(lock::validFor);

		assertThat(lock.isHeldByCurrentThread()).isTrue();
		assertThat(lock.token()).isEqualTo(token);
	}

	@Test
	void watchdogRenewsHoldThatWasHandedOver() {
		LockClient client = client((builder) -> builder.nanoTime(() -> System.nanoTime() + this.setForward.get()));
		lock().lock();
		TestThreads.Running<Void> waiting = this.threads.run(() -> {
			lock(client).lock();
			// The hold starts with the lease of a place, 10 s.
			this.setForward.addAndGet(Duration.ofSeconds(4).toNanos());
			assertRenewedPastItsTimeout(lock(client)::validFor);
			assertThat(lock(client).isHeldByCurrentThread()).isTrue();
		}).awaitParked();

		lock().unlock();

		waiting.result();
	}

	@Test
	void nestedShorterLeaseNeitherShortensTheOuterNorStopsItsWatchdog() {
		LockClient client = clientWithClock();
		LeaseLock lock = lock(client);
		lock.lock();

		lock(client, Duration.ofMillis(20)).lock();
		assertThat(lock.validFor()).isGreaterThan(Duration.ofSeconds(15));
		lock.unlock();

		assertRenewedPastItsTimeout(lock::validFor);
		assertThat(lock.isHeldByCurrentThread()).isTrue();
	}

	@Test
	void nestedShorterLeaseDoesNotShortenLongerExplicitLease() {
		lock(Duration.ofSeconds(90)).lock();

		lock(Duration.ofMillis(20)).lock();
		lock().unlock();

		assertThat(lock().validFor()).isGreaterThan(Duration.ofSeconds(60));
		assertThat(leaseInRedis()).isGreaterThan(Duration.ofSeconds(60));
	}

	@Test
	void nestedLongerLeaseProlongsTheHold() {
		lock(Duration.ofSeconds(30)).lock();

		lock(Duration.ofSeconds(90)).lock();

		assertThat(lock().validFor()).isGreaterThan(Duration.ofSeconds(60));
		assertThat(leaseInRedis()).isGreaterThan(Duration.ofSeconds(60));
	}

	@Test
	void nestedWatchedAcquisitionMakesTheWatchdogRenewExplicitHold() {
		LockClient client = clientWithClock();
		LeaseLock lock = lock(client);
		lock(client, Duration.ofSeconds(30)).lock();

		lock.lock();

		assertRenewedPastItsTimeout(lock::validFor);
		assertThat(lock.isHeldByCurrentThread()).isTrue();
	}

	@Test
	void holdOfThreadThatEndedIsNotRenewed() throws Exception {
		LockClient client = client((builder) -> builder.watchdogTimeout(Duration.ofMillis(200)));
		this.threads.run(() -> lock(client).lock()).result();

		assertThat(lock(this.elsewhere).tryLock(LONG)).isTrue();

		awaitForgotten(client);
	}

	@Test
	void holdOfThreadThatEndedGoesToWaiterOfTheSameClient() {
		LockClient client = client((builder) -> builder.watchdogTimeout(Duration.ofMillis(200)));
		this.threads.run(() -> lock(client).lock()).result();

		assertThatCode(() -> this.threads.run(() -> lock(client).lock()).result()).doesNotThrowAnyException();
	}

	private Duration leaseInRedis() {
		return this.elsewhere.directory().find(this.name).map(HeldLock::leaseLeft).orElseThrow();
	}

}
