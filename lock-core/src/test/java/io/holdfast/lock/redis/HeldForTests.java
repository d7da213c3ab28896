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
import java.util.concurrent.CountDownLatch;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockDirectory.Filter;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A lock that is passed on inside a client all the time is held by nobody for long. */
class HeldForTests extends FaultFixture {

	private static final Duration LONG = Duration.ofSeconds(3);

	/** Others are told at the next renewal, long before a hold has lasted that long. */
	private static final Duration WATCHDOG_TIMEOUT = Duration.ofSeconds(15);

	HeldForTests() {
		super(RedisProcess.shared());
	}

	@Test
	void ageIsThatOfThePresentOwnersHold() throws Exception {
		RedisLockClient here = openPatient(RedisDriver.JEDIS, this.server.port(),
				(builder) -> builder.watchdogTimeout(WATCHDOG_TIMEOUT));
		RedisLockClient elsewhere = openPatient(RedisDriver.JEDIS);
		CountDownLatch owns = new CountDownLatch(1);
		CountDownLatch passOn = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		LeaseLock lock = here.getLock("hot");
		lock.lock();
		// Two that wait when the hold is asked for, so that it may be passed on.
		TestThreads.Running<Void> first = this.threads.run(() -> {
			lock.lock();
			passOn.await();
			lock.unlock();
		});
		FaultClients.await("it is waited for", () -> seen(here).waiters() == 1);
		TestThreads.Running<Void> next = this.threads.run(() -> {
			lock.lock();
			owns.countDown();
			end.await();
			lock.unlock();
		});
		FaultClients.await("it is waited for", () -> seen(here).waiters() == 2);
		lock.unlock();
		FaultClients.await("it is the next one's", () -> seen(here).waiters() == 1);
		FaultClients.await("it is held for long", () -> seen(here).age().compareTo(LONG) > 0);
		FaultClients.await("that is seen elsewhere", () -> seen(elsewhere).age().compareTo(LONG) > 0);

		long passedOnNanos = System.nanoTime();
		passOn.countDown();
		first.result();
		owns.await();

		HeldLock passedOn = seen(here);
		assertThat(passedOn.age()).isLessThanOrEqualTo(since(passedOnNanos));
		assertThat(passedOn.clientAge()).isGreaterThan(LONG);
		FaultClients.await("another client knows that, too",
				() -> seen(elsewhere).age().compareTo(since(passedOnNanos)) <= 0);
		Duration clientAge = seen(elsewhere).clientAge();
		assertThat(clientAge).isGreaterThan(LONG);
		assertThat(elsewhere.directory().list(null, 100, new Filter("", null, null, clientAge)).locks()).isEmpty();
		end.countDown();
		next.result();
	}

	/**
	 * As others see it, to whom times are told in milliseconds.
	 */
	private static Duration since(long nanos) {
		return Duration.ofNanos(System.nanoTime() - nanos).plusMillis(100);
	}

	private static HeldLock seen(RedisLockClient client) {
		return client.directory().find("hot").orElseThrow();
	}

}
