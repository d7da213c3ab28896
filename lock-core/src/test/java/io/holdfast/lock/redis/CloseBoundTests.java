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
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.testing.LogCapture;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A client that is closed releases what it holds, in a bounded time whatever Redis does.
 */
@ParameterizedClass
@EnumSource
class CloseBoundTests extends FaultFixture {

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

	/**
	 * How long the driver waits.
	 */
	private static final Duration DRIVER_TIMEOUT = Duration.ofSeconds(60);

	private final Set<Thread> others = LockContract.clientThreads();

	@Parameter
	RedisDriver driver;

	@AfterEach
	void awaitTheEndOfThreads() {
		this.proxy.heal();
		LockContract.awaitEndOfClientThreads(this.others);
	}

	private RedisLockClient client(Duration commandTimeout, LockObserver... observers) {
		return this.clients.open(
				this.clients.connect(this.driver, this.proxy.host(), this.proxy.port(), DRIVER_TIMEOUT), (builder) -> {
					// Or it would leave a connection that hangs.
					builder.takeoverAfter(Duration.ZERO);
					builder.commandTimeout(commandTimeout).watchdogTimeout(Duration.ofMinutes(10));
					List.of(observers).forEach(builder::observer);
					return builder;
				});
	}

	private long held() {
		StringRedisTemplate redis = this.clients.redis();
		return redis.keys(this.clients.key("*"))
			.stream()
			.filter((key) -> redis.opsForHash().hasKey(key, "until"))
			.count();
	}

	/**
	 * What a thread holds that has ended: the client is to release it.
	 */
	private void hold(RedisLockClient client, int locks) {
		TestThreads.Running<Void> owner = this.threads
			.run(() -> IntStream.range(0, locks).forEach((i) -> client.getLock("held-" + i).lock()));
		owner.result();
		LockContract.eventually().until(() -> !owner.thread().isAlive());
	}

	private static Duration timeOf(Runnable action) {
		long start = System.nanoTime();
		action.run();
		return Duration.ofNanos(System.nanoTime() - start);
	}

	/**
	 * Together, as each call takes its time there.
	 */
	@Test
	void manyLocksAreReleasedByFewScripts() {
		RedisLockClient client = client(FaultClients.PATIENCE);
		hold(client, 1000);
		assertThat(held()).isEqualTo(1000);
		this.server.command("CONFIG", "RESETSTAT");

		client.close();

		String stats = this.server.info("commandstats", "cmdstat_evalsha");
		assertThat(Integer.parseInt(stats.replaceAll("calls=(\\d+),.*", "$1"))).isLessThan(1000 / 10);
		assertThat(held()).isZero();
	}

	@Test
	void silentServerDoesNotKeepTheClientFromItsEnd() {
		RedisLockClient client = client(COMMAND_TIMEOUT);
		hold(client, 3);
		this.proxy.goDeaf();

		try (LogCapture log = LogCapture.open()) {
			Duration took = timeOf(client::close);

			assertThat(took).isLessThan(DRIVER_TIMEOUT.dividedBy(2));
			assertThat(log.messages(Level.WARN)).filteredOn((line) -> line.contains("not answered"))
				.filteredOn((line) -> line.startsWith("3 release(s)"))
				.hasSize(1);
		}
	}

	/**
	 * Its release was answered before it arrives, if that takes another connection.
	 */
	@Test
	void questionThatArrivesWhileTheClientClosesLeavesNothing() {
		RedisLockClient client = client(COMMAND_TIMEOUT);
		assertThat(client.getLock("late").isLocked()).isFalse();
		this.proxy.goDeaf("");
		assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock("late")::tryLock);

		TestThreads.Running<Void> closing = this.threads.run(client::close);
		LockContract.eventually().until(() -> closing.isDone() || closing.thread().getState() != Thread.State.RUNNABLE);
		this.proxy.heal();
		closing.result();

		LockContract.eventually().during(Duration.ofMillis(500)).until(() -> held() == 0);
	}

	@Test
	void lockWithDamagedDataKeepsNoOtherFromItsRelease() {
		RedisLockClient client = client(FaultClients.PATIENCE);
		hold(client, 100);
		this.clients.redis().opsForHash().put(this.clients.key("held-50"), "until", "2:damaged");
		this.clients.redis().opsForHash().put(this.clients.key("held-50"), "hold", "2:damaged +");

		client.close();

		assertThat(held()).isOne();
	}

	@Test
	void secondCloseReturnsWhenTheFirstHasEnded() throws Exception {
		CountDownLatch closing = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		RedisLockClient client = client(FaultClients.PATIENCE, new LockObserver() {

			@Override
			public void stopped(ClientState state) {
				closing.countDown();
				await(goOn);
			}

		});
		hold(client, 1);
		TestThreads.Running<Void> first = this.threads.run(client::close);
		await(closing);
		AtomicReference<Thread> second = new AtomicReference<>();

		TestThreads.Running<Long> heldAfterwards = this.threads.start(() -> {
			second.set(Thread.currentThread());
			client.close();
			return held();
		});
		LockContract.eventually()
			.until(() -> heldAfterwards.isDone()
					|| (second.get() != null && second.get().getState() == Thread.State.BLOCKED));
		goOn.countDown();

		assertThat(heldAfterwards.result()).isZero();
		first.result();
	}

	@Test
	void observerMayCloseTheClientThatIsBeingClosed() {
		AtomicReference<RedisLockClient> client = new AtomicReference<>();
		client.set(client(FaultClients.PATIENCE, new LockObserver() {

			@Override
			public void stopped(ClientState state) {
				client.get().close();
			}

		}));

		// If that waited for itself, it would do so for twice the time-out of a command.
		assertThat(timeOf(client.get()::close)).isLessThan(FaultClients.PATIENCE);
	}

	@Test
	void observerMayCloseTheClientWhenALockIsLost() {
		AtomicReference<RedisLockClient> client = new AtomicReference<>();
		CompletableFuture<Duration> took = new CompletableFuture<>();
		client
			.set(client(FaultClients.PATIENCE, new LossObserver((loss) -> took.complete(timeOf(client.get()::close)))));
		client.get().getLock("lost").lock();

		assertThat(client.get().getLock("lost").forceUnlock()).isTrue();

		assertThat(took.orTimeout(90, TimeUnit.SECONDS).join()).isLessThan(FaultClients.PATIENCE);
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
