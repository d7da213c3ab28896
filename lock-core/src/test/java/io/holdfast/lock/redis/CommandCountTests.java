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
import java.util.function.UnaryOperator;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockType;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many commands locking costs, as Redis itself counts them.
 */
@ParameterizedClass
@EnumSource
class CommandCountTests {

	private static final RedisProcess SERVER = RedisProcess.start();

	@Parameter
	RedisDriver driver;

	private final TestThreads threads = new TestThreads();

	private final List<RedisLockClient> clients = new ArrayList<>();

	private final CommandCounter commands = new CommandCounter(SERVER);

	private RedisConnectionFactory connections;

	@AfterEach
	void close() {
		try {
			this.threads.close();
		}
		finally {
			this.clients.forEach(RedisLockClient::close);
			RedisDriver.disconnect(this.connections);
			this.commands.close();
		}
	}

	@AfterAll
	static void stop() {
		SERVER.close();
	}

	private RedisLockClient client() {
		return client((builder) -> builder);
	}

	/**
	 * A client that has its subscription, its scripts and the server's time already, and
	 * whose watchdog has nothing to do while a test runs.
	 */
	private RedisLockClient client(UnaryOperator<RedisLockClient.Builder> settings) {
		if (this.connections == null) {
			this.connections = this.driver.connect(SERVER);
		}
		RedisLockClient client = settings
			.apply(RedisLockClient.builder(this.connections)
				.watchdogTimeout(Duration.ofMinutes(10))
				.waiterTimeout(Duration.ofMinutes(5)))
			.build();
		this.clients.add(client);
		LockContract.awaitSubscription(client);
		LeaseLock warmUp = client.getLock("warm-up");
		warmUp.lock();
		warmUp.lock(Duration.ofMinutes(20));
		warmUp.unlock();
		warmUp.unlock();
		return client;
	}

	@Test
	void lockAndUnlockAreTwoScripts() {
		for (LockType type : LockType.values()) {
			LeaseLock lock = client().getLock("a" + type, type);
			this.commands.startCounting();

			lock.lock();
			lock.unlock();

			assertThat(this.commands.counted()).isEqualTo(Map.of("evalsha", 2));
		}
	}

	@Test
	void nestedAcquisitionsAndQuestionsAboutTheOwnHoldAreFree() throws Exception {
		for (LockType type : LockType.values()) {
			LeaseLock lock = client().getLock("a" + type, type);
			lock.lock();
			this.commands.startCounting();

			lock.lock();
			lock.lock(Duration.ofMillis(100));
			lock.tryLock(Duration.ofSeconds(1));
			lock.isHeldByCurrentThread();
			lock.holdCount();
			lock.fencingToken();
			lock.remainingLease();
			lock.unlock();
			lock.unlock();
			lock.unlock();

			assertThat(this.commands.counted()).isEmpty();
			lock.unlock();
		}
	}

	@Test
	void attemptOnLockThatThreadOfTheSameClientHoldsIsFree() {
		LeaseLock lock = client().getLock("a");
		lock.lock();
		this.commands.startCounting();

		this.threads.run(() -> assertThat(lock.tryLock()).isFalse()).result();

		assertThat(this.commands.counted()).isEmpty();
	}

	@Test
	void fairHandOverIsOneScriptAndOneMessageHoweverManyWait() {
		contend(LockType.FAIR);

		assertThat(this.commands.counted().get("evalsha")).isLessThanOrEqualTo(51);
		assertThat(this.commands.counted().get("publish")).isLessThanOrEqualTo(50);
		assertThat(this.commands.counted()).containsOnlyKeys("evalsha", "publish");
	}

	@Test
	void reentrantHandOverBetweenClientsIsOneScriptAndOneMessage() {
		contend(LockType.REENTRANT);

		assertThat(this.commands.counted().get("evalsha")).isLessThanOrEqualTo(25);
		assertThat(this.commands.counted().get("publish")).isLessThanOrEqualTo(this.commands.counted().get("evalsha"));
		assertThat(this.commands.counted()).containsOnlyKeys("evalsha", "publish");
	}

	/**
	 * Counts what it takes to give a lock to fifty waiting threads of two clients.
	 */
	private void contend(LockType type) {
		List<RedisLockClient> two = List.of(client(), client());
		LeaseLock held = client().getLock("a", type);
		held.lock();
		List<TestThreads.Running<Void>> waiting = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			LeaseLock lock = two.get(i % 2).getLock("a", type);
			waiting.add(this.threads.run(() -> {
				lock.lock();
				lock.unlock();
			}).awaitParked());
		}
		this.commands.startCounting();

		held.unlock();
		waiting.forEach(TestThreads.Running::result);
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
		this.commands.startCounting();

		lock.unlock();
		waiting.forEach(TestThreads.Running::result);

		assertThat(this.commands.counted().get("evalsha")).isLessThanOrEqualTo(2000 / 10);
		assertThat(this.commands.counted()).doesNotContainKey("publish");
	}

	@Test
	void oneHundredHoldsAreRenewedByOneScript() {
		RedisLockClient client = client((builder) -> builder.watchdogTimeout(Duration.ofSeconds(9)));
		for (int i = 0; i < 100; i++) {
			client.getLock("a" + i).lock();
		}
		this.commands.startCounting();
		long before = leastEnd();

		LockContract.eventually().pollInterval(Duration.ofMillis(100)).until(() -> leastEnd() > before + 2000);

		assertThat(this.commands.counted().get("evalsha")).isEqualTo(1);
	}

	/**
	 * When the first of one hundred holds ends.
	 */
	private long leastEnd() {
		long least = Long.MAX_VALUE;
		for (int i : List.of(0, 50, 99)) {
			Object until = this.commands.redis().opsForHash().get("holdfast:lock:a" + i, "until");
			least = Math.min(least, Long.parseLong((String) until));
		}
		return least;
	}

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
		this.commands.startCounting();

		LockContract.eventually().during(Duration.ofSeconds(1)).until(this.commands::counted, Map::isEmpty);

		lock.unlock();
	}

}
