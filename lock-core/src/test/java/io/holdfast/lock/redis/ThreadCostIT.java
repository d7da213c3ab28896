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
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.ThreadUsage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

/**
 * What the threads of a client cost: its watchdog what is due, not what is held, and
 * attempts that nobody receives nothing.
 */
class ThreadCostIT extends FaultFixture {

	private static final int HELD = 20_000;

	private static final long MEGABYTE = 1024 * 1024;

	/**
	 * Nobody waits for the end of so many holds.
	 */
	@AfterEach
	void kill() {
		this.server.kill();
	}

	/**
	 * A client with many holds of which none is to be renewed for minutes. Without a
	 * subscription, those that others may take over would be.
	 */
	private RedisLockClient holder(int port) {
		RedisLockClient client = this.clients.open(
				this.clients.connect(RedisDriver.JEDIS, this.server.host(), port, FaultClients.PATIENCE),
				(builder) -> builder.watchdogTimeout(Duration.ofHours(1))
					.waiterTimeout(Duration.ofMinutes(1))
					.takeoverAfter(Duration.ZERO));
		FaultClients.awaitHears(client);
		for (int i = 0; i < HELD; i++) {
			client.getLock("order-" + i).lock();
		}
		return client;
	}

	@Test
	void holdsThatAreNotDueCostNothing() {
		holder(this.server.port());
		ThreadUsage watchdog = ThreadUsage.of("holdfast-watchdog");

		FaultClients.pass(Duration.ofSeconds(5));

		assertThat(watchdog.sinceThen().bytes()).as("allocated in 5 s").isLessThan(MEGABYTE);
	}

	@Test
	void attemptsThatFailDoNotMakeItLookAtAllHolds() {
		RedisLockClient client = holder(this.proxy.port());
		this.proxy.refuse();
		ThreadUsage watchdog = ThreadUsage.of("holdfast-watchdog");

		for (int i = 0; i < 100; i++) {
			LeaseLock lock = client.getLock("other-" + i);
			assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> fail(lock + ": " + lock.tryLock()));
			FaultClients.pass(Duration.ofMillis(20));
		}

		assertThat(watchdog.sinceThen().bytes()).as("allocated for 100 failures").isLessThan(5 * MEGABYTE);
	}

	@Test
	void attemptsThatNobodyReceivesKeepTheClientsThreadsIdle() throws Exception {
		this.server.kill();
		RedisLockClient client = this.clients.open(RedisDriver.JEDIS, this.server);
		failToLock(client, "warm-up-", 10);
		ThreadUsage usage = ThreadUsage.of("holdfast-");
		long start = System.nanoTime();

		for (int i = 0; i < 4; i++) {
			String names = "order-" + i + "-";
			this.crew.start("attempts-" + i, () -> failToLock(client, names, 10_000));
		}
		this.crew.join(Duration.ofSeconds(60));

		long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
		assertThat(usage.sinceThen().cpuMillis()).as("CPU time, of %d ms", millis).isLessThan(millis / 10);
	}

	private static void failToLock(RedisLockClient client, String names, int count) {
		for (int i = 0; i < count; i++) {
			assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock(names + i)::tryLock);
		}
	}

}
