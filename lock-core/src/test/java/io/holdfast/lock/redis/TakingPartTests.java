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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.TestThreads;
import io.holdfast.lock.testing.ThreadUsage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which threads take part, and what the death of one of several holders costs.
 */
class TakingPartTests extends FaultFixture {

	private static final int PAIRS = 1000;

	private static final int KILOBYTE = 1024;

	private static long threadsOfClients() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((each) -> each.getName().startsWith("holdfast-"))
			.count();
	}

	@ParameterizedTest
	@EnumSource
	void freeLockIsLockedAndUnlockedByItsThreadAlone(RedisDriver driver) {
		LeaseLock lock = openPatient(driver).getLock("orders");
		for (int i = 0; i < PAIRS; i++) {
			lock.lock();
			lock.unlock();
		}
		ThreadUsage others = ThreadUsage.of("holdfast-");
		long before = threadsOfClients();

		for (int i = 0; i < PAIRS; i++) {
			lock.lock();
			lock.unlock();
		}

		assertThat(threadsOfClients()).isLessThanOrEqualTo(before);
		assertThat(others.sinceThen().bytes()).as("allocated by other threads").isLessThan(PAIRS * KILOBYTE / 10);
	}

	@Test
	void tenThousandFuturesNeedNoMoreThreadsThanAFew() throws Exception {
		RedisLockClient holder = openPatient(RedisDriver.JEDIS);
		RedisLockClient client = openPatient(RedisDriver.JEDIS);
		holder.getLock("orders").lock();
		LockOptions patient = LockOptions.defaults().waitTime(Duration.ofMinutes(2));
		List<CompletableFuture<Lease>> futures = new ArrayList<>();
		long before = threadsOfClients();

		for (int i = 0; i < 10_000; i++) {
			futures.add(client.acquireAsync("orders", patient).toCompletableFuture());
		}

		assertThat(threadsOfClients() - before).isLessThanOrEqualTo(10);
		assertThat(futures).noneMatch(CompletableFuture::isDone);
		holder.getLock("orders").unlock();
		for (CompletableFuture<Lease> each : futures.subList(0, 100)) {
			each.get(1, TimeUnit.MINUTES).close();
		}
		assertThat(threadsOfClients() - before).isLessThanOrEqualTo(20);
		client.close();
		FaultClients.await("all have their outcome", () -> futures.stream().allMatch(CompletableFuture::isDone));
	}

	@Test
	void readerThatVanishesDelaysAWriterByOneLease() throws Exception {
		Duration lease = Duration.ofSeconds(6);
		RedisLockClient reader = open(this.clients.connect(RedisDriver.JEDIS, this.proxy.host(), this.proxy.port()),
				(builder) -> builder.watchdogTimeout(lease));
		RedisLockClient other = openPatient(RedisDriver.JEDIS, this.server.port(),
				(builder) -> builder.waiterTimeout(FaultClients.WAITER_TIMEOUT));
		FaultClients.lockPatiently(reader.readWrite("orders").readLock());
		LeaseLock alive = other.readWrite("orders").readLock();
		alive.lock();
		this.proxy.goDeaf();
		long vanished = System.nanoTime();

		TestThreads.Running<Long> writer = this.threads.start(() -> {
			other.getLock("orders").lock();
			return System.nanoTime();
		});
		this.clients.awaitWaiters("orders", 1);
		alive.unlock();

		Duration took = Duration.ofNanos(writer.result() - vanished);
		assertThat(took).isLessThan(lease.multipliedBy(2));
	}

}
