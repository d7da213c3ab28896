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
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.ThreadUsage;
import io.holdfast.lock.testing.ThreadUsage.Used;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

/**
 * The watchdog of a client with many holds costs what is due, not what is held.
 */
class WatchdogCostTests {

	private static final int HELD = 20_000;

	private static final long MEGABYTE = 1024 * 1024;

	private final RedisProcess server = RedisProcess.start();

	private final FaultProxy proxy = new FaultProxy(this.server);

	private final FaultClients clients = new FaultClients(this.server, "many:");

	@AfterEach
	void close() throws Exception {
		this.server.close();
		this.clients.close();
		this.proxy.close();
	}

	/**
	 * A client with many holds of which none is to be renewed for minutes.
	 */
	private RedisLockClient holder(int port) {
		RedisLockClient client = this.clients.open(
				this.clients.connect(RedisDriver.JEDIS, this.server.host(), port, FaultClients.PATIENCE),
				(builder) -> builder.watchdogTimeout(Duration.ofHours(1)).waiterTimeout(Duration.ofMinutes(1)));
		FaultClients.awaitHears(client);
		for (int i = 0; i < HELD; i++) {
			client.getLock("order-" + i).lock();
		}
		return client;
	}

	/**
	 * Lets time pass, which is what is measured here.
	 */
	private static void pass(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		while (System.nanoTime() - end < 0) {
			LockSupport.parkNanos(end - System.nanoTime());
		}
	}

	@Test
	void holdsThatAreNotDueCostNothing() {
		holder(this.server.port());
		ThreadUsage watchdog = ThreadUsage.of("holdfast-watchdog");

		pass(Duration.ofSeconds(5));

		Used used = watchdog.sinceThen();
		assertThat(used.bytes()).as("allocated in 5 s").isLessThan(MEGABYTE);
		assertThat(used.cpuMillis()).as("CPU time of 5 s").isLessThan(10);
	}

	@Test
	void attemptsThatFailDoNotMakeItLookAtAllHolds() {
		RedisLockClient client = holder(this.proxy.port());
		this.proxy.refuse();
		ThreadUsage watchdog = ThreadUsage.of("holdfast-watchdog");

		for (int i = 0; i < 100; i++) {
			LeaseLock lock = client.getLock("other-" + i);
			assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> fail(lock + ": " + lock.tryLock()));
			pass(Duration.ofMillis(20));
		}

		Used used = watchdog.sinceThen();
		assertThat(used.bytes()).as("allocated for 100 failures").isLessThan(5 * MEGABYTE);
		assertThat(used.cpuMillis()).as("CPU time of 100 failures").isLessThan(50);
	}

}
