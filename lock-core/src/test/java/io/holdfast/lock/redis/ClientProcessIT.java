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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockDirectory.QueuedWaiter;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.internal.redis.LockScript;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.FaultProxy.Fault;
import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of the locks and places of a process that is killed, ends, or is stopped
 * for a while.
 */
class ClientProcessIT extends FaultFixture {

	private static final Duration LEASE = FaultClients.PATIENCE.multipliedBy(2);

	private final List<JavaProcess> processes = new ArrayList<>();

	ClientProcessIT() {
		super(RedisProcess.shared());
	}

	@AfterEach
	void endProcesses() {
		this.processes.forEach(JavaProcess::close);
	}

	/**
	 * Its waiters keep their places on a busy machine, and find within a third of their
	 * time-out that somebody has died.
	 */
	private RedisLockClient open() {
		return openPatient(RedisDriver.JEDIS, this.server.port(),
				(builder) -> builder.waiterTimeout(FaultClients.WAITER_TIMEOUT.multipliedBy(2)));
	}

	private JavaProcess start(RedisDriver driver, int port, Duration watchdogTimeout) {
		JavaProcess process = JavaProcess.start(driver.name(), LockProcess.class, driver.name(), this.server.host(),
				Integer.toString(port), this.prefix, Long.toString(watchdogTimeout.toMillis()));
		this.processes.add(process);
		process.awaitLine("READY", FaultClients.PATIENCE);
		return process;
	}

	private JavaProcess start(RedisDriver driver) {
		return start(driver, this.server.port(), FaultClients.WATCHDOG_TIMEOUT);
	}

	private static long token(String[] heldLine) {
		return Long.parseLong(heldLine[2]);
	}

	// It ends

	@ParameterizedTest
	@CsvSource({ "false, 1", "true, 50" })
	void waitersOfAKilledProcessDelayTheOthersOnceAndKeepTheirOrder(boolean fair, int count) throws Exception {
		LeaseLock held = open().getLock("orders", LockOptions.defaults().fair(fair).leaseTime(LEASE));
		held.lock();
		JavaProcess killed = start(RedisDriver.JEDIS);
		for (int i = 0; i < count; i++) {
			killed.tell("acquire orders " + (fair ? "fair" : "exclusive"));
		}
		this.clients.awaitWaiters("orders", count);
		List<Integer> order = new CopyOnWriteArrayList<>();
		for (int i = 0; i < 3; i++) {
			int number = i;
			LeaseLock lock = open().getLock("orders", LockOptions.defaults().fair(fair));
			this.crew.start("waiter-" + number, () -> {
				lock.lock();
				order.add(number);
				lock.unlock();
			});
			this.clients.awaitWaiters("orders", count + number + 1);
		}

		killed.kill();
		long start = System.nanoTime();
		held.unlock();
		this.crew.join(FaultClients.PATIENCE);

		assertThat(order).containsExactly(0, 1, 2);
		assertThat(Duration.ofNanos(System.nanoTime() - start))
			.isLessThan(FaultClients.WAITER_TIMEOUT.multipliedBy(2).plus(SLACK));
		this.clients.awaitFree("orders");
		FaultClients.await("only the living subscribe", () -> subscriptions() == 4);
	}

	private int subscriptions() {
		return ((List<?>) this.server.command("PUBSUB", "CHANNELS", this.prefix + "client:*#*")).size();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void holdOfAProcessThatWasKilledBeforeItKnewOrThatExitedEndsWithItsLease(boolean exits) throws Exception {
		try (FaultProxy proxy = new FaultProxy(this.server)) {
			JavaProcess process = start(RedisDriver.JEDIS, proxy.port(), FaultClients.WATCHDOG_TIMEOUT);
			process.tell("acquire orders exclusive");
			long token = token(process.awaitLine("HELD orders", FaultClients.PATIENCE));
			if (exits) {
				process.tell("exit");
				assertThat(process.end(FaultClients.PATIENCE)).isZero();
			}
			else {
				process.tell("release orders");
				process.awaitLine("RELEASED orders", FaultClients.PATIENCE);
				Fault fault = proxy.holdReplyTo(LockScript.ACQUIRE.getSha1());
				process.tell("acquire orders exclusive");
				fault.awaitCaught();
				process.kill();
			}
			long start = System.nanoTime();
			LeaseLock next = open().getLock("orders");

			assertThat(next.tryLock(FaultClients.PATIENCE)).isTrue();

			assertThat(next.token()).isGreaterThan(token);
			assertThat(Duration.ofNanos(System.nanoTime() - start))
				.isLessThan(FaultClients.WATCHDOG_TIMEOUT.multipliedBy(2).plus(SLACK));
			next.unlock();
		}
	}

	// It is stopped

	@Test
	void processThatIsStoppedForLessThanItsLeaseKeepsItsLock() {
		Duration lease = Duration.ofSeconds(10);
		JavaProcess stopped = start(RedisDriver.LETTUCE, this.server.port(), lease);
		RedisLockClient other = open();
		stopped.tell("acquire orders exclusive");
		long token = token(stopped.awaitLine("HELD orders", FaultClients.PATIENCE));

		stopped.pause();
		FaultClients.await("a renewal is overdue", () -> held(other).leaseLeft().compareTo(lease.dividedBy(2)) < 0);
		stopped.resume();
		FaultClients.await("it is renewed",
				() -> held(other).leaseLeft().compareTo(lease.multipliedBy(2).dividedBy(3)) > 0);

		assertThat(held(other).token()).isEqualTo(token);
		stopped.tell("release orders");
		stopped.awaitLine("RELEASED orders", FaultClients.PATIENCE);
		assertThat(stopped.toString()).doesNotContain("LOST");
	}

	private static HeldLock held(RedisLockClient client) {
		return client.directory().find("orders").orElseThrow();
	}

	/**
	 * Its place, or the lock that it was handed meanwhile, is over when it goes on.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void waiterThatIsStoppedForTooLongWaitsAgainBehindTheOthers(boolean handed) throws Exception {
		RedisLockClient holder = open();
		LockOptions options = LockOptions.defaults().fair(true).leaseTime(LEASE);
		LeaseLock held = holder.getLock("orders", options);
		held.lock();
		JavaProcess stopped = start(RedisDriver.JEDIS);
		stopped.tell("acquire orders fair");
		this.clients.awaitWaiters("orders", 1);
		LeaseLock next = open().getLock("orders", options);
		CountDownLatch taken = new CountDownLatch(1);
		CountDownLatch over = new CountDownLatch(1);
		long[] token = new long[1];
		Crew.Member waiter = this.crew.start("next", () -> {
			next.lock();
			token[0] = next.token();
			taken.countDown();
			assertThat(over.await(FaultClients.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
			next.unlock();
		});
		this.clients.awaitWaiters("orders", 2);

		stopped.pause();
		if (!handed) {
			// It may be dropped as soon as it is over.
			FaultClients.await("its place is over",
					() -> holder.directory().queue("orders", 2).stream().filter(QueuedWaiter::alive).count() == 1);
		}
		held.unlock();
		assertThat(taken.await(FaultClients.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
		stopped.resume();
		this.clients.awaitWaiters("orders", 1);
		over.countDown();

		waiter.join(FaultClients.PATIENCE);
		assertThat(token(stopped.awaitLine("HELD orders", FaultClients.PATIENCE))).isGreaterThan(token[0]);
		stopped.tell("release orders");
		stopped.awaitLine("RELEASED orders", FaultClients.PATIENCE);
		this.clients.awaitFree("orders");
	}

}
