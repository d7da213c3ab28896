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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What happens when Redis forgets its scripts or its data, says nothing for a while, or
 * does not deliver messages.
 */
class ServerFaultIT {

	private static final Duration SHORT = Duration.ofMillis(700);

	private static final Duration LONG = FaultClients.WATCHDOG_TIMEOUT.plusMillis(700);

	private final RedisProcess server = start();

	private final FaultClients clients = new FaultClients(this.server, "fault:");

	private final Crew crew = new Crew();

	private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	private static RedisProcess start() {
		try {
			return RedisProcess.start("--enable-debug-command", "yes");
		}
		catch (IllegalStateException ex) {
			// Redis 6 does not know the setting and lets everybody.
			return RedisProcess.start();
		}
	}

	@AfterEach
	void end() throws Exception {
		this.server.resume();
		this.crew.close();
		this.clients.assertNothingLastsForEver();
		this.clients.close();
		this.server.close();
	}

	private RedisLockClient open(RedisDriver driver) {
		RedisLockClient client = this.clients.open(driver, this.server.host(), this.server.port(),
				(builder) -> builder.observer(new LossObserver(this.losses::add)));
		FaultClients.awaitHears(client);
		return client;
	}

	private void command(String command, String... arguments) {
		try (Jedis jedis = new Jedis(this.server.host(), this.server.port(), 20_000)) {
			jedis.sendCommand(() -> command.getBytes(StandardCharsets.US_ASCII), arguments);
		}
	}

	private int subscribers() {
		try (Jedis jedis = new Jedis(this.server.host(), this.server.port(), 20_000)) {
			return jedis.pubsubChannels("fault:client:*").size();
		}
	}

	private static void awaitTime(Duration time) {
		long start = System.nanoTime();
		FaultClients.await(time + " are over", () -> System.nanoTime() - start > time.toNanos());
	}

	/**
	 * Takes a lock however often the server gives no answer.
	 */
	private static void lockPatiently(LeaseLock lock) {
		long start = System.nanoTime();
		while (true) {
			try {
				lock.lock();
				return;
			}
			catch (LockServerException ex) {
				if (System.nanoTime() - start > FaultClients.PATIENCE.toNanos()) {
					throw ex;
				}
			}
		}
	}

	// Messages are lost

	@ParameterizedTest
	@EnumSource
	void workGoesOnWhileSubscriptionsAreKilled(LockType type) throws Exception {
		RedisLockClient one = open(RedisDriver.JEDIS);
		RedisLockClient two = open(RedisDriver.LETTUCE);
		FaultLoad load = new FaultLoad();
		load.start(this.crew, one.getLock("orders", type), 2);
		load.start(this.crew, two.getLock("orders", type), 2);

		long slowest = 0;
		for (int i = 0; i < 8; i++) {
			load.awaitMore(50);
			command("CLIENT", "KILL", "TYPE", "pubsub");
			long killed = System.nanoTime();
			FaultClients.await("both have subscribed again", () -> subscribers() == 2);
			slowest = Math.max(slowest, System.nanoTime() - killed);
		}
		load.awaitMore(50);
		load.stop(this.crew);

		System.out.printf("%s: %d grants; longest gap %d ms, subscribed again after at most %d ms%n", type,
				load.grants(), load.longestGap().toMillis(), slowest / 1_000_000);
		assertThat(load.failures()).isZero();
		assertThat(this.losses).isEmpty();
		assertThat(Duration.ofNanos(slowest)).isLessThan(Duration.ofSeconds(5));
		assertThat(load.longestGap()).isLessThan(Duration.ofSeconds(5));
		this.clients.awaitFree("orders");
		FaultClients.awaitForgotten(one);
		FaultClients.awaitForgotten(two);
	}

	/**
	 * Without a permission for channels nothing is told to anybody.
	 */
	@ParameterizedTest
	@EnumSource
	void workGoesOnWithoutMessages(LockType type) throws Exception {
		LeaseLock one = open(RedisDriver.JEDIS).getLock("orders", type);
		LeaseLock two = open(RedisDriver.LETTUCE).getLock("orders", type);
		command("ACL", "SETUSER", "default", "resetchannels");
		long slowest = 0;

		for (int i = 0; i < 4; i++) {
			LeaseLock holder = (i % 2 == 0) ? one : two;
			LeaseLock waiter = (i % 2 == 0) ? two : one;
			holder.lock();
			long[] granted = new long[1];
			Crew.Member waiting = this.crew.start("waiter", () -> {
				waiter.lock();
				granted[0] = System.nanoTime();
				waiter.unlock();
			});
			this.clients.awaitWaiters("orders", 1);
			long released = System.nanoTime();
			holder.unlock();
			waiting.join(FaultClients.PATIENCE);
			slowest = Math.max(slowest, granted[0] - released);
		}

		System.out.printf("%s: handed over without a message within %d ms%n", type, slowest / 1_000_000);
		assertThat(Duration.ofNanos(slowest)).isLessThan(FaultClients.WAITER_TIMEOUT.plusSeconds(3));
		assertThat(this.losses).isEmpty();
		command("ACL", "SETUSER", "default", "allchannels");
	}

	// Redis forgets

	@ParameterizedTest
	@EnumSource
	void workGoesOnWhileScriptsAreFlushed(LockType type) throws Exception {
		RedisLockClient one = open(RedisDriver.JEDIS);
		RedisLockClient two = open(RedisDriver.LETTUCE);
		LeaseLock held = one.getLock("held");
		held.lock();
		FaultLoad load = new FaultLoad();
		load.start(this.crew, one.getLock("orders", type), 2);
		load.start(this.crew, two.getLock("orders", type), 2);
		long start = System.nanoTime();

		int flushes = 0;
		while (load.grants() < 500 || System.nanoTime() - start < LONG.toNanos()) {
			command("SCRIPT", "FLUSH");
			flushes++;
			load.awaitMore(2);
		}
		load.stop(this.crew);

		System.out.printf("%s: %d grants during %d flushes; longest gap %d ms%n", type, load.grants(), flushes,
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
			lockPatiently(waiting);
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
		lockPatiently(lock);
		assertThat(lock.token()).isGreaterThan(next[0]);
		lock.unlock();
	}

	// Redis says nothing

	@ParameterizedTest
	@EnumSource
	void shortSilenceIsNoLoss(RedisDriver driver) throws Exception {
		RedisLockClient client = open(driver);
		LeaseLock held = client.getLock("held");
		held.lock();
		FaultLoad load = new FaultLoad();
		load.start(this.crew, client.getLock("orders"), 2);
		load.start(this.crew, open(driver).getLock("orders"), 2);
		load.awaitMore(50);

		this.server.pause();
		awaitTime(SHORT);
		this.server.resume();
		load.awaitMore(50);
		command("CLIENT", "PAUSE", Long.toString(SHORT.toMillis()));
		load.awaitMore(50);
		load.stop(this.crew);

		assertThat(this.losses).isEmpty();
		assertThat(held.isHeldByCurrentThread()).isTrue();
		held.unlock();
		this.clients.awaitFree("orders");
	}

	/**
	 * The server is silent for as long as the test lasts.
	 */
	@ParameterizedTest
	@EnumSource
	void waitEndsInTimeAlthoughTheServerIsSilent(RedisDriver driver) {
		LeaseLock lock = open(driver).getLock("orders");
		// Else it would depend on which time-out of a connection attempt ends first.
		lock.lock();
		lock.unlock();
		this.server.pause();
		long start = System.nanoTime();

		assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> lock.tryLock(SHORT))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.TIMED_OUT));

		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(SHORT,
				SHORT.plus(FaultClients.COMMAND_TIMEOUT.multipliedBy(2)).plusSeconds(3));
	}

	@ParameterizedTest
	@EnumSource
	void silenceOfAStoppedServerForLongerThanTheLeaseIsALoss(RedisDriver driver) throws Exception {
		assertLossAndRecovery(driver, () -> {
			this.server.pause();
			awaitTime(LONG);
			this.server.resume();
		});
	}

	@ParameterizedTest
	@EnumSource
	void silenceOfABusyServerForLongerThanTheLeaseIsALoss(RedisDriver driver) throws Exception {
		assertLossAndRecovery(driver, () -> command("DEBUG", "SLEEP", Double.toString(LONG.toMillis() / 1000.0)));
	}

	@ParameterizedTest
	@EnumSource
	void silenceOfAPausedServerForLongerThanTheLeaseIsALoss(RedisDriver driver) throws Exception {
		assertLossAndRecovery(driver, () -> command("CLIENT", "PAUSE", Long.toString(LONG.toMillis())));
	}

	private void assertLossAndRecovery(RedisDriver driver, Runnable silence) throws Exception {
		RedisLockClient client = open(driver);
		LeaseLock lock = client.getLock("orders");
		RedisLockClient other = open(driver);
		LeaseLock next = other.getLock("orders");
		lock.lock();
		long token = lock.token();
		Crew.Member waiter = this.crew.start("waiter", () -> {
			lockPatiently(next);
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
