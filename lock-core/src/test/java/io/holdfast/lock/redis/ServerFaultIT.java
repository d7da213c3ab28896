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
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisDriver;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What happens when Redis forgets its scripts or its data, says nothing for a while, or
 * does not deliver messages.
 */
class ServerFaultIT extends FaultFixture {

	private static final Duration SHORT = FaultClients.COMMAND_TIMEOUT.plusMillis(200);

	private static final Duration LONG = FaultClients.WATCHDOG_TIMEOUT.plusMillis(700);

	// Messages are lost

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void workGoesOnWhileSubscriptionsAreKilled(boolean fair) throws Exception {
		RedisLockClient one = openPatient(RedisDriver.JEDIS);
		RedisLockClient two = openPatient(RedisDriver.LETTUCE);
		FaultLoad load = new FaultLoad();
		load.start(this.crew, one.getLock("orders", LockOptions.defaults().fair(fair)), 2);
		load.start(this.crew, two.getLock("orders", LockOptions.defaults().fair(fair)), 2);

		for (int i = 0; i < 8; i++) {
			load.awaitMore(50);
			this.server.command("CLIENT", "KILL", "TYPE", "pubsub");
			FaultClients.await("both have subscribed again", () -> FaultClients.subscriptions(this.server).size() == 2);
		}
		load.awaitMore(50);
		load.stop(this.crew);

		System.out.printf("%s: %d grants; longest gap %d ms%n", fair, load.grants(), load.longestGap().toMillis());
		assertThat(load.failures()).isZero();
		assertThat(this.losses).isEmpty();
		// Nobody who waits asks by itself before a third of its waiter time-out is over.
		assertThat(load.longestGap()).isLessThan(LONG_LEASE.dividedBy(6));
		this.clients.awaitFree("orders");
		FaultClients.awaitForgotten(one);
		FaultClients.awaitForgotten(two);
	}

	// Redis forgets

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void workGoesOnWhileScriptsAreFlushed(boolean fair) throws Exception {
		RedisLockClient one = openPatient(RedisDriver.JEDIS);
		RedisLockClient two = openPatient(RedisDriver.LETTUCE);
		LeaseLock held = one.getLock("held");
		held.lock();
		FaultLoad load = new FaultLoad();
		load.start(this.crew, one.getLock("orders", LockOptions.defaults().fair(fair)), 2);
		load.start(this.crew, two.getLock("orders", LockOptions.defaults().fair(fair)), 2);
		long start = System.nanoTime();

		int flushes = 0;
		while (load.grants() < 500 || System.nanoTime() - start < LONG.toNanos()) {
			this.server.command("SCRIPT", "FLUSH");
			flushes++;
			load.awaitMore(2);
		}
		load.stop(this.crew);

		System.out.printf("%s: %d grants during %d flushes; longest gap %d ms%n", fair, load.grants(), flushes,
				load.longestGap().toMillis());
		assertThat(load.failures()).isZero();
		assertThat(this.losses).isEmpty();
		assertThat(held.isHeldByCurrentThread()).isTrue();
		held.unlock();
		this.clients.awaitFree("orders");
	}

	@ParameterizedTest
	@EnumSource
	void restartWithoutDataIsALossAndWaitersGoOn(RedisDriver driver) throws Exception {
		RedisLockClient client = open(driver);
		LeaseLock lock = client.getLock("orders");
		RedisLockClient other = open(driver);
		lock.lock();
		long token = lock.token();
		long[] next = new long[1];
		Crew.Member waiter = this.crew.start("waiter", () -> {
			LeaseLock waiting = other.getLock("orders");
			FaultClients.lockPatiently(waiting);
			next[0] = waiting.token();
			waiting.unlock();
		});
		this.clients.awaitWaiters("orders", 1);

		this.server.kill();
		this.server.startAgain();

		waiter.join(FaultClients.PATIENCE);
		assertThat(next[0]).isGreaterThan(token);
		FaultClients.await("the holder is told", () -> !this.losses.isEmpty());
		assertThat(lock.isHeldByCurrentThread()).isFalse();
		assertThat(this.losses).singleElement().satisfies((loss) -> {
			assertThat(loss.token()).isEqualTo(token);
			assertThat(loss.cause()).isIn(Cause.GONE, Cause.EXPIRED);
		});
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		FaultClients.lockPatiently(lock);
		assertThat(lock.token()).isGreaterThan(next[0]);
		lock.unlock();
	}

	// Redis says nothing

	@ParameterizedTest
	@EnumSource
	void shortSilenceIsNoLoss(RedisDriver driver) throws Exception {
		// Longer than two silences and what a busy machine adds.
		Duration lease = Duration.ofSeconds(12);
		RedisLockClient client = open(driver, (builder) -> builder.watchdogTimeout(lease));
		LeaseLock held = client.getLock("held");
		held.lock();
		FaultLoad load = new FaultLoad();
		load.start(this.crew, client.getLock("orders"), 2);
		load.start(this.crew, open(driver, (builder) -> builder.watchdogTimeout(lease)).getLock("orders"), 2);
		load.awaitMore(50);

		this.server.pause();
		FaultClients.pass(SHORT);
		this.server.resume();
		load.awaitMore(50);
		this.server.command("CLIENT", "PAUSE", Long.toString(SHORT.toMillis()));
		load.awaitMore(50);
		load.stop(this.crew);

		assertThat(this.losses).isEmpty();
		assertThat(held.isHeldByCurrentThread()).isTrue();
		held.unlock();
		this.clients.awaitFree("orders");
	}

	@ParameterizedTest
	@EnumSource
	void silenceOfAStoppedServerForLongerThanTheLeaseIsALoss(RedisDriver driver) throws Exception {
		assertLossAndRecovery(driver, () -> {
			this.server.pause();
			FaultClients.pass(LONG);
			this.server.resume();
		});
	}

	@ParameterizedTest
	@EnumSource
	void silenceOfAPausedServerForLongerThanTheLeaseIsALoss(RedisDriver driver) throws Exception {
		assertLossAndRecovery(driver, () -> this.server.command("CLIENT", "PAUSE", Long.toString(LONG.toMillis())));
	}

	private void assertLossAndRecovery(RedisDriver driver, Runnable silence) throws Exception {
		RedisLockClient client = open(driver);
		LeaseLock lock = client.getLock("orders");
		RedisLockClient other = open(driver);
		LeaseLock next = other.getLock("orders");
		lock.lock();
		long token = lock.token();
		Crew.Member waiter = this.crew.start("waiter", () -> {
			FaultClients.lockPatiently(next);
			assertThat(next.token()).isGreaterThan(token);
			next.unlock();
		});
		this.clients.awaitWaiters("orders", 1);

		Crew.Member silencer = this.crew.start("silencer", silence::run);
		FaultClients.await("the holder knows", () -> !lock.isHeldByCurrentThread());
		FaultClients.await("the observer is told", () -> !this.losses.isEmpty());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);

		silencer.join(FaultClients.PATIENCE);
		waiter.join(FaultClients.PATIENCE);
		assertThat(this.losses.get(0).token()).isEqualTo(token);
		assertThat(this.losses.get(0).cause()).isEqualTo(Cause.EXPIRED);
		this.clients.awaitFree("orders");
		FaultClients.awaitForgotten(client);
		FaultClients.awaitForgotten(other);
	}

}
