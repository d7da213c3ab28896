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
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockType;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That the commands per grant stay within what {@code docs/internals/performance.md}
 * claims, however many clients and threads want a lock. These do not depend on the
 * machine.
 */
class CommandGrowthTests extends CommandContract {

	private List<RedisLockClient> clients(int count) {
		return Stream.generate(this::client).limit(count).toList();
	}

	@Test
	void hotKeyOfOneClientCostsNoMoreThanOneScriptForTenGrants() {
		assertThat(scriptsPerGrant(LockType.REENTRANT, 1, 32, 100)).isLessThanOrEqualTo(0.1);
	}

	@Test
	void hotKeyOfFourClientsCostsNoMoreThanThreeScriptsForTenGrants() {
		assertThat(scriptsPerGrant(LockType.REENTRANT, 4, 4, 400)).isLessThanOrEqualTo(0.3);
	}

	/**
	 * Less than one where threads of a client are quick to come back, two where they are
	 * not.
	 */
	@Test
	void fairGrantCostsNoMoreThanTwoScripts() {
		assertThat(scriptsPerGrant(LockType.FAIR, 4, 4, 100)).isLessThanOrEqualTo(2.05);
	}

	/**
	 * What it costs if threads of some clients take one lock again and again.
	 */
	private double scriptsPerGrant(LockType type, int clients, int threadsEach, int grantsEach) {
		List<RedisLockClient> all = clients(clients);
		LeaseLock held = all.get(0).getLock("hot");
		held.lock();
		List<TestThreads.Running<Void>> running = new ArrayList<>();
		for (int i = 0; i < clients * threadsEach; i++) {
			LeaseLock lock = all.get(i % clients).getLock("hot", type);
			running.add(this.threads.run(() -> {
				for (int n = 0; n < grantsEach; n++) {
					lock.lock();
					lock.unlock();
				}
			}).awaitParked());
		}
		startCounting();

		held.unlock();
		running.forEach(TestThreads.Running::result);

		return counted().get("evalsha") / (double) (clients * threadsEach * grantsEach);
	}

	@Test
	void grantCostsTheSameBehindTenAndThreeHundredWaiters() {
		List<RedisLockClient> two = clients(2);

		double few = commandsPerWaiter(two, 10);
		double many = commandsPerWaiter(two, 300);

		// To wait, to be handed the lock, and to be told so.
		assertThat(few).isLessThanOrEqualTo(3.2);
		assertThat(many).isLessThanOrEqualTo(few + 0.1);
	}

	private double commandsPerWaiter(List<RedisLockClient> two, int waiters) {
		LeaseLock held = two.get(0).getLock("a");
		held.lock();
		startCounting();
		List<TestThreads.Running<Void>> waiting = new ArrayList<>();
		for (int i = 0; i < waiters; i++) {
			LeaseLock lock = two.get(i % 2).getLock("a", LockType.FAIR);
			waiting.add(this.threads.run(() -> {
				lock.lock();
				lock.unlock();
			}).awaitParked());
		}
		held.unlock();
		waiting.forEach(TestThreads.Running::result);
		return counted().values().stream().mapToInt(Integer::intValue).sum() / (double) waiters;
	}

	@Test
	void thousandHoldsAreRenewedByTenScriptsAtMost() {
		RedisLockClient client = client((builder) -> builder.watchdogTimeout(Duration.ofSeconds(9)));
		for (int i = 0; i < 1000; i++) {
			client.getLock("a" + i).lock();
		}
		AtomicLong least = new AtomicLong(leastEnd());
		LockContract.eventually().pollInterval(Duration.ofMillis(100)).until(() -> leastEnd() > least.get() + 1000);
		startCounting();
		least.set(leastEnd());

		LockContract.eventually().pollInterval(Duration.ofMillis(100)).until(() -> leastEnd() > least.get() + 2000);

		assertThat(counted().get("evalsha")).isBetween(1, 10);
	}

	private long leastEnd() {
		long least = Long.MAX_VALUE;
		for (int i = 0; i < 1000; i += 111) {
			Object until = this.redis.opsForHash().get("holdfast:lock:a" + i, "until");
			least = Math.min(least, Long.parseLong(((String) until).substring(2)));
		}
		return least;
	}

}
