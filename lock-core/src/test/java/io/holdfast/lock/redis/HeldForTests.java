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
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockDirectory.Filter;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A lock that is passed on inside a client all the time is held by nobody for long. */
class HeldForTests {

	private static final Duration LONG = Duration.ofSeconds(3);

	private final RedisProcess server = RedisProcess.shared();

	private final FaultClients clients = new FaultClients(this.server, "held-for-" + UUID.randomUUID() + ":");

	private final TestThreads threads = new TestThreads();

	@AfterEach
	void close() throws Exception {
		this.threads.close();
		this.clients.close();
	}

	@Test
	void ageIsThatOfThePresentOwnersHold() throws Exception {
		RedisLockClient here = this.clients.open(RedisDriver.JEDIS, this.server);
		RedisLockClient elsewhere = this.clients.open(RedisDriver.JEDIS, this.server);
		CountDownLatch owns = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		LeaseLock lock = here.getLock("hot");
		lock.lock();
		FaultClients.await("it is held for long", () -> seen(here).age().compareTo(LONG) > 0);
		FaultClients.await("that is seen elsewhere", () -> seen(elsewhere).age().compareTo(LONG) > 0);
		TestThreads.Running<Void> next = this.threads.run(() -> {
			lock.lock();
			owns.countDown();
			end.await();
			lock.unlock();
		});
		FaultClients.await("it is waited for", () -> seen(here).waiters() == 1);

		lock.unlock();
		owns.await();

		HeldLock passedOn = seen(here);
		assertThat(passedOn.age()).isLessThan(LONG);
		assertThat(passedOn.clientAge()).isGreaterThan(LONG);
		FaultClients.await("another client knows that, too", () -> seen(elsewhere).age().compareTo(LONG) < 0);
		assertThat(seen(elsewhere).clientAge()).isGreaterThan(LONG);
		assertThat(elsewhere.directory().list(null, 100, new Filter("", null, null, LONG)).locks()).isEmpty();
		end.countDown();
		next.result();
	}

	private static HeldLock seen(RedisLockClient client) {
		return client.directory().find("hot").orElseThrow();
	}

}
