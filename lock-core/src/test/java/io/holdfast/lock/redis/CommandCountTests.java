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
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockType;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How many commands locking costs, as Redis itself counts them.
 */
class CommandCountTests extends CommandContract {

	@Test
	void lockAndUnlockAreTwoScripts() {
		for (LockType type : LockType.values()) {
			LeaseLock lock = client().getLock("a" + type, type);
			startCounting();

			lock.lock();
			lock.unlock();

			assertThat(counted()).isEqualTo(Map.of("evalsha", 2));
		}
	}

	@Test
	void eachOfSeveralLocksCostsWhatOneDoes() throws Exception {
		List<String> names = List.of("a", "b", "c", "d");
		for (LockType type : LockType.values()) {
			RedisLockClient client = client();
			LeaseLock lock = client.getLock(names, type);
			startCounting();

			Lease lease = client.acquire(names, LockOptions.defaults().type(type));
			assertThat(counted()).isEqualTo(Map.of("evalsha", 4));
			lease.close();
			assertThat(counted()).isEqualTo(Map.of("evalsha", 8));
			lock.lock();
			assertThat(counted()).isEqualTo(Map.of("evalsha", 12));
			lock.lock();
			lock.unlock();
			lock.unlock();

			assertThat(counted()).isEqualTo(Map.of("evalsha", 16));
		}
	}

	@Test
	void firstRefusedOfSeveralLocksEndsTheAttempt() throws Exception {
		RedisLockClient client = client();
		client().acquire("b", LockOptions.defaults());
		startCounting();

		assertThat(client.tryAcquire(List.of("a", "b", "c"), LockOptions.defaults().waitTime(Duration.ZERO))).isEmpty();

		// The first two, and the release of the first one.
		assertThat(counted()).isEqualTo(Map.of("evalsha", 2 + 1));
	}

	@Test
	void nestedAcquisitionsAndQuestionsAboutTheOwnHoldAreFree() throws Exception {
		for (LockType type : LockType.values()) {
			LeaseLock lock = client().getLock("a" + type, type);
			lock.lock();
			startCounting();

			lock.lock();
			lock.lock(Duration.ofMillis(100));
			lock.tryLock(Duration.ofSeconds(1));
			lock.isHeldByCurrentThread();
			lock.holdCount();
			lock.token();
			lock.validFor();
			lock.unlock();
			lock.unlock();
			lock.unlock();

			assertThat(counted()).isEmpty();
			lock.unlock();
		}
	}

	@Test
	void attemptOnLockThatThreadOfTheSameClientHoldsIsFree() {
		LeaseLock lock = client().getLock("a");
		lock.lock();
		startCounting();

		this.threads.run(() -> assertThat(lock.tryLock()).isFalse()).result();

		assertThat(counted()).isEmpty();
	}

	@Test
	void exceptionsThatTellWhoHoldsTheLockCostNoCommand() throws Exception {
		RedisLockClient client = client();
		LockOptions noWait = LockOptions.defaults().waitTime(Duration.ZERO);
		try (Lease own = client.acquire("own", LockOptions.defaults());
				Lease foreign = client().acquire("foreign", LockOptions.defaults())) {
			startCounting();

			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> client.acquire(own.name(), noWait))
				.withMessageContaining("of this client");
			assertThat(counted()).isEmpty();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> client.acquire(foreign.name(), noWait))
				.withMessageContaining("No thread of this client holds it");
			assertThat(counted()).isEqualTo(Map.of("evalsha", 1));
			assertThatExceptionOfType(IllegalMonitorStateException.class)
				.isThrownBy(client.getLock(foreign.name())::unlock);
			assertThat(counted()).isEqualTo(Map.of("evalsha", 1));
		}
	}

	@Test
	void fairHandOverIsOneScriptAndOneMessageHoweverManyWait() {
		int proofs = contend(LockType.FAIR, 2);

		assertThat(counted().get("evalsha")).isLessThanOrEqualTo(51 + proofs);
		assertThat(counted().get("publish")).isLessThanOrEqualTo(50 + proofs);
		assertThat(counted()).containsOnlyKeys("evalsha", "publish");
	}

	@Test
	void reentrantHandOverBetweenClientsIsOneScriptAndOneMessage() {
		int proofs = contend(LockType.REENTRANT, 2);

		assertThat(counted().get("evalsha")).isLessThanOrEqualTo(25 + proofs);
		assertThat(counted().get("publish")).isLessThanOrEqualTo(counted().get("evalsha"));
		assertThat(counted()).containsOnlyKeys("evalsha", "publish");
	}

	/**
	 * Counts what it takes to give a lock to fifty waiting threads of some clients.
	 * @return how many proofs that messages reach them may be among it: one for each
	 * client every two seconds, which only a busy machine takes
	 */
	private int contend(LockType type, int count) {
		List<RedisLockClient> clients = Stream.generate(this::client).limit(count).toList();
		LeaseLock held = client().getLock("a", type);
		held.lock();
		long start = System.nanoTime();
		List<TestThreads.Running<Void>> waiting = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			LeaseLock lock = clients.get(i % count).getLock("a", type);
			waiting.add(this.threads.run(() -> {
				lock.lock();
				lock.unlock();
			}).awaitParked());
		}
		startCounting();

		held.unlock();
		waiting.forEach(TestThreads.Running::result);
		return count * (int) Duration.ofNanos(System.nanoTime() - start).dividedBy(Duration.ofSeconds(2));
	}

	@Test
	void threadsOfOneClientHandTheLockToEachOtherForNearlyNothing() {
		LeaseLock lock = client().getLock("a");
		lock.lock();
		List<TestThreads.Running<Void>> waiting = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			waiting.add(this.threads.run(() -> {
				for (int n = 0; n < 250; n++) {
					lock.lock();
					lock.unlock();
				}
			}).awaitParked());
		}
		startCounting();

		lock.unlock();
		waiting.forEach(TestThreads.Running::result);

		// 4,000 without it. Threads that a busy machine keeps from asking are no
		// neighbours.
		assertThat(counted().get("evalsha")).isLessThanOrEqualTo(4000 / 4);
		assertThat(counted()).doesNotContainKey("publish");
	}

	@Test
	void oneHundredHoldsAreRenewedByOneScript() {
		AtomicLong clock = new AtomicLong(System.nanoTime());
		RedisLockClient client = client(
				(builder) -> builder.watchdogTimeout(Duration.ofSeconds(9)).nanoTime(clock::get));
		for (int i = 0; i < 100; i++) {
			client.getLock("a" + i).lock();
		}
		startCounting();
		long before = end(99);
		// However long that took, all are due at once.
		clock.addAndGet(Duration.ofSeconds(3).toNanos());

		LockContract.eventually().pollInterval(Duration.ofMillis(100)).until(() -> leastEnd() > before);

		assertThat(counted().get("evalsha")).isEqualTo(1);
	}

	/**
	 * When the first of one hundred holds ends.
	 */
	private long leastEnd() {
		long least = Long.MAX_VALUE;
		for (int i : List.of(0, 50, 99)) {
			least = Math.min(least, end(i));
		}
		return least;
	}

	private long end(int i) {
		Object until = this.redis.opsForHash().get("holdfast:lock:a" + i, "until");
		return Long.parseLong(((String) until).substring(2));
	}

	/**
	 * Besides what one client says every two seconds for all of them.
	 */
	@Test
	void waitingCostsNothing() {
		RedisLockClient waiter = client();
		LeaseLock lock = client().getLock("a");
		lock.lock();
		for (LockType type : LockType.values()) {
			for (int i = 0; i < 5; i++) {
				this.threads.run(() -> {
					waiter.getLock("a", type).lock();
					waiter.getLock("a", type).unlock();
				}).awaitParked();
			}
		}

		LockContract.eventually().ignoreExceptions().until(() -> {
			startCounting();
			LockContract.eventually()
				.atMost(Duration.ofMillis(1500))
				.during(Duration.ofSeconds(1))
				.until(this::counted, Map::isEmpty);
			return true;
		});

		lock.unlock();
	}

}
