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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.AfterEach;
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
class WaitersTogetherTests {

	private static final Duration WAITER_TIMEOUT = Duration.ofSeconds(1);

	private static final Duration DRIVER_TIMEOUT = Duration.ofMillis(300);

	private static final int FEW = 8;

	private static final int MANY = 40;

	@Parameter(0)
	private LockType type;

	@Parameter(1)
	private RedisDriver driver;

	private final RedisProcess server = RedisProcess.start();

	private final TestThreads threads = new TestThreads();

	private final FaultClients clients = new FaultClients(this.server, "together:");

	private RedisLockClient rival;

	@BeforeEach
	void connectRival() {
		this.rival = this.clients.open(this.driver, this.server);
	}

	@AfterEach
	void close() throws Exception {
		try {
			if (this.server.isAlive()) {
				this.server.resume();
			}
			// Lets go of those that still wait.
			this.clients.close();
			this.threads.close();
		}
		finally {
			this.server.close();
		}
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

		assertFailTogether(startToWait(client, "free", FEW));
	}

	@Test
	void failTogetherWhenTheServerStopped() {
		RedisLockClient client = client(DRIVER_TIMEOUT, WAITER_TIMEOUT);
		this.server.pause();

		assertFailTogether(startToWait(client, "free", FEW));
	}

	@Test
	void manyFailTogetherWhenTheServerWasKilled() {
		RedisLockClient client = client(DRIVER_TIMEOUT, WAITER_TIMEOUT);
		this.server.kill();

		assertFailTogether(startToWait(client, "free", MANY));
	}

	@Test
	void failTogetherAlthoughTheDriverIsPatient() {
		RedisLockClient client = client(WAITER_TIMEOUT.multipliedBy(3).dividedBy(5), WAITER_TIMEOUT);
		this.server.pause();

		assertFailTogether(startToWait(client, "free", FEW));
	}

	@Test
	void failBeforeTheLeaseOfARivalEndsWhenTheServerIsKilled() {
		RedisLockClient client = client(DRIVER_TIMEOUT, WAITER_TIMEOUT);
		List<Waiting> waiting = startToWaitBehindRival(client, FEW);

		this.server.kill();

		assertFailTogether(waiting);
	}

	@Test
	void failBeforeTheLeaseOfARivalEndsWhenTheServerStops() {
		RedisLockClient client = client(DRIVER_TIMEOUT, WAITER_TIMEOUT);
		List<Waiting> waiting = startToWaitBehindRival(client, FEW);

		this.server.pause();

		assertFailTogether(waiting);
	}

	@Test
	void goOnTogetherWhenTheServerIsBackInTime() {
		RedisLockClient client = client(DRIVER_TIMEOUT, FaultClients.PATIENCE);
		LeaseLock held = this.rival.getLock("held", this.type);
		held.lock(Duration.ofMinutes(1));
		List<TestThreads.Running<Void>> waiting = new ArrayList<>();
		for (int i = 0; i < MANY; i++) {
			waiting.add(this.threads.run(() -> lockAndUnlock(client, "held")).awaitParked());
		}
		this.server.pause();
		for (int i = 0; i < FEW; i++) {
			waiting.add(this.threads.run(() -> lockAndUnlock(client, "free")));
		}

		long pausedNanos = System.nanoTime();
		// Long enough for a driver to give up more than once.
		while (System.nanoTime() - pausedNanos < 3 * DRIVER_TIMEOUT.toNanos()) {
			LockSupport.parkNanos(DRIVER_TIMEOUT.toNanos());
		}
		this.server.resume();
		this.clients.unlock(held);

		waiting.forEach(TestThreads.Running::result);
	}

	private void lockAndUnlock(RedisLockClient client, String name) {
		LeaseLock lock = client.getLock(name, this.type);
		lock.lock();
		lock.unlock();
	}

	private List<Waiting> startToWaitBehindRival(RedisLockClient client, int count) {
		this.rival.getLock("held", this.type).lock(Duration.ofMinutes(1));
		List<Waiting> waiting = startToWait(client, "held", count);
		waiting.forEach((each) -> each.running.awaitParked());
		return waiting;
	}

	private List<Waiting> startToWait(RedisLockClient client, String name, int count) {
		List<Waiting> waiting = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Waiting each = new Waiting();
			each.running = this.threads.run(() -> {
				try {
					client.getLock(name, this.type).lock();
				}
				catch (LockException ex) {
					each.failure = ex;
				}
				each.endedNanos = System.nanoTime();
			});
			waiting.add(each);
		}
		return waiting;
	}

	/**
	 * All of them fail, the last one before three waiter time-outs from now on are over.
	 */
	private static void assertFailTogether(List<Waiting> waiting) {
		long startNanos = System.nanoTime();
		Duration limit = WAITER_TIMEOUT.multipliedBy(3);
		while (System.nanoTime() - startNanos < limit.toNanos()
				&& !waiting.stream().allMatch((each) -> each.running.isDone())) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
		}
		assertThat(waiting).extracting((each) -> each.tell(startNanos))
			.as("what each of them did within %s", limit)
			.allMatch((each) -> each.startsWith(LockServerException.class.getSimpleName()));
	}

	/**
	 * A thread that waits for a lock.
	 */
	private static final class Waiting {

		private TestThreads.Running<Void> running;

		private volatile LockException failure;

		private volatile long endedNanos;

		private String tell(long startNanos) {
			if (!this.running.isDone()) {
				return "waits on";
			}
			return ((this.failure != null) ? this.failure.getClass().getSimpleName() : "got the lock") + " after "
					+ TimeUnit.NANOSECONDS.toMillis(this.endedNanos - startNanos) + " ms";
		}

	}

}
