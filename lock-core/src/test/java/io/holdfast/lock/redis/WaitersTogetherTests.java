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
import java.util.stream.IntStream;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the server did concerns all threads of a client that wait for a lock: when it is
 * away they fail together, after one waiter time-out, however many there are; and if it
 * comes back before that, none of them fails.
 */
@ParameterizedClass(name = "{0} with {1}")
@MethodSource("io.holdfast.lock.redis.LockContract#kinds")
class WaitersTogetherTests extends FaultFixture {

	private static final Duration WAITER_TIMEOUT = Duration.ofSeconds(2);

	private static final Duration DRIVER_TIMEOUT = Duration.ofMillis(300);

	private static final int MANY = 100;

	@Parameter(0)
	private boolean fair;

	@Parameter(1)
	private RedisDriver driver;

	private RedisLockClient rival;

	@BeforeEach
	void connectRival() {
		this.rival = openPatient(this.driver);
	}

	private RedisLockClient client(Duration driverTimeout, Duration waiterTimeout) {
		RedisLockClient client = this.clients.open(
				this.clients.connect(this.driver, this.server.host(), this.server.port(), driverTimeout),
				(builder) -> builder.waiterTimeout(waiterTimeout));
		FaultClients.awaitHears(client);
		return client;
	}

	@Test
	void failTogetherWhenTheServerWasKilled() {
		RedisLockClient client = client(DRIVER_TIMEOUT, WAITER_TIMEOUT);
		this.server.kill();

		assertFailTogether(startToWait(client, "free"));
	}

	@Test
	void failTogetherAlthoughTheDriverIsPatient() {
		RedisLockClient client = client(WAITER_TIMEOUT.multipliedBy(3).dividedBy(5), WAITER_TIMEOUT);
		this.server.pause();

		assertFailTogether(startToWait(client, "free"));
	}

	@Test
	void failBeforeTheLeaseOfARivalEndsWhenTheServerIsKilled() {
		RedisLockClient client = client(DRIVER_TIMEOUT, WAITER_TIMEOUT);
		List<TestThreads.Running<Void>> waiting = startToWaitBehindRival(client);

		this.server.kill();

		assertFailTogether(waiting);
	}

	@Test
	void failBeforeTheLeaseOfARivalEndsWhenTheServerStops() {
		RedisLockClient client = client(DRIVER_TIMEOUT, WAITER_TIMEOUT);
		List<TestThreads.Running<Void>> waiting = startToWaitBehindRival(client);

		this.server.pause();

		assertFailTogether(waiting);
	}

	@Test
	void goOnTogetherWhenTheServerIsBackInTime() {
		RedisLockClient client = client(DRIVER_TIMEOUT, FaultClients.PATIENCE);
		LeaseLock held = lockAsRival();
		List<TestThreads.Running<Void>> waiting = new ArrayList<>();
		for (int i = 0; i < MANY; i++) {
			waiting.add(this.threads.run(() -> lockAndUnlock(client, "held")).awaitParked());
		}
		this.server.pause();
		for (int i = 0; i < MANY; i++) {
			waiting.add(this.threads.run(() -> lockAndUnlock(client, "free")));
		}

		// Long enough for a driver to give up more than once.
		FaultClients.pass(DRIVER_TIMEOUT.multipliedBy(3));
		this.server.resume();
		this.clients.unlock(held);

		waiting.forEach(TestThreads.Running::result);
	}

	private void lockAndUnlock(RedisLockClient client, String name) {
		LeaseLock lock = client.getLock(name, LockOptions.defaults().fair(this.fair));
		lock.lock();
		lock.unlock();
	}

	private LeaseLock lockAsRival() {
		LeaseLock held = this.rival.getLock("held",
				LockOptions.defaults().fair(this.fair).leaseTime(Duration.ofMinutes(1)));
		held.lock();
		return held;
	}

	private List<TestThreads.Running<Void>> startToWaitBehindRival(RedisLockClient client) {
		lockAsRival();
		List<TestThreads.Running<Void>> waiting = startToWait(client, "held");
		waiting.forEach(TestThreads.Running::awaitParked);
		return waiting;
	}

	private List<TestThreads.Running<Void>> startToWait(RedisLockClient client, String name) {
		return IntStream.range(0, MANY)
			.mapToObj((i) -> this.threads.run(client.getLock(name, LockOptions.defaults().fair(this.fair))::lock))
			.toList();
	}

	/**
	 * All of them fail, the last one long before each could have waited for the driver
	 * after the one before.
	 */
	private static void assertFailTogether(List<TestThreads.Running<Void>> waiting) {
		long start = System.nanoTime();
		assertThat(waiting).allSatisfy((each) -> assertThat(each.failure()).isInstanceOf(LockServerException.class));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(DRIVER_TIMEOUT.multipliedBy(MANY * 2 / 3));
	}

}
