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
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockType;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.VirtualThreads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What happens when threads of the application are interrupted, give up, die or starve,
 * when its observers fail, and when its clock jumps.
 */
class ClientFaultIT {

	private static final AtomicInteger NUMBER = new AtomicInteger();

	private static final int STORM_ROUNDS = 12_000;

	private final RedisProcess server = RedisProcess.shared();

	private final FaultClients clients = new FaultClients(this.server, "client" + NUMBER.incrementAndGet() + ":");

	private final Crew crew = new Crew();

	private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	@AfterEach
	void end() throws Exception {
		this.crew.close();
		this.clients.assertNothingLastsForEver();
		this.clients.close();
	}

	private RedisLockClient open(RedisDriver driver) {
		return open(driver, UnaryOperator.identity());
	}

	private RedisLockClient open(RedisDriver driver, UnaryOperator<RedisLockClientBuilder> customizer) {
		RedisLockClient client = this.clients.open(driver, this.server.host(), this.server.port(),
				(builder) -> customizer.apply(builder).observer(new LossObserver(this.losses::add)));
		FaultClients.awaitHears(client);
		return client;
	}

	private static void awaitLongerThanALease() {
		awaitLongerThan(FaultClients.WATCHDOG_TIMEOUT);
	}

	private static void awaitLongerThan(Duration lease) {
		long start = System.nanoTime();
		FaultClients.await("a lease is over", () -> System.nanoTime() - start > lease.plusMillis(500).toNanos());
	}

	// Interrupts and time-outs

	@ParameterizedTest
	@EnumSource
	void stormOfInterruptsAndTimeOutsLeavesNothingBehind(LockType type) throws Exception {
		interruptAll(type, new Crew());
	}

	/**
	 * An interrupt closes the socket that a virtual thread reads from.
	 */
	@ParameterizedTest
	@EnumSource
	@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "There are no virtual threads")
	void stormOfInterruptsOfVirtualThreadsLeavesNothingBehind(LockType type) throws Exception {
		interruptAll(type, new Crew(VirtualThreads.factory()));
	}

	private void interruptAll(LockType type, Crew storm) throws Exception {
		List<RedisLockClient> both = List.of(open(RedisDriver.JEDIS), open(RedisDriver.LETTUCE));
		AtomicInteger rounds = new AtomicInteger();
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger granted = new AtomicInteger();
		AtomicInteger interrupted = new AtomicInteger();
		AtomicLong token = new AtomicLong();
		List<Thread> threads = new CopyOnWriteArrayList<>();
		for (int i = 0; i < 6; i++) {
			LeaseLock lock = both.get(i % 2).getLock("orders", type);
			threads.add(storm.start("storm-" + i, () -> {
				while (rounds.incrementAndGet() <= STORM_ROUNDS) {
					long micros = ThreadLocalRandom.current().nextLong(3000);
					try {
						if (!lock.tryLock(micros, TimeUnit.MICROSECONDS)) {
							continue;
						}
					}
					catch (InterruptedException ex) {
						interrupted.incrementAndGet();
						assertThat(lock.isHeldByCurrentThread()).isFalse();
						continue;
					}
					granted.incrementAndGet();
					assertThat(inside.incrementAndGet()).isEqualTo(1);
					assertThat(token.getAndSet(lock.token())).isLessThan(lock.token());
					inside.decrementAndGet();
					lock.unlock();
				}
			}).thread());
		}
		while (rounds.get() < STORM_ROUNDS) {
			threads.get(ThreadLocalRandom.current().nextInt(threads.size())).interrupt();
			LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(TimeUnit.MILLISECONDS.toNanos(2)));
		}
		storm.join(Duration.ofSeconds(60));
		storm.close();

		System.out.printf("%s: %d rounds, %d grants, %d interrupted%n", type, STORM_ROUNDS, granted.get(),
				interrupted.get());
		assertThat(granted).hasPositiveValue();
		assertThat(interrupted).hasPositiveValue();
		assertThat(this.losses).isEmpty();
		this.clients.awaitFree("orders");
		for (RedisLockClient client : both) {
			FaultClients.awaitForgotten(client);
			LeaseLock lock = client.getLock("orders", type);
			assertThat(lock.tryLock(FaultClients.PATIENCE)).isTrue();
			lock.unlock();
		}
	}

	// The watchdog

	@ParameterizedTest
	@EnumSource
	void observersThatFailKeepNothingFromOthers(RedisDriver driver) throws Exception {
		RedisLockClient client = this.clients.open(driver, this.server.host(), this.server.port(),
				(builder) -> builder.observer(new LossObserver((loss) -> {
					throw new IllegalStateException("on purpose");
				})).observer(new LossObserver((loss) -> {
					throw new AssertionError("on purpose");
				})).observer(new LossObserver(this.losses::add)));
		LeaseLock held = client.getLock("held");
		held.lock();

		for (int i = 1; i <= 3; i++) {
			Lease lease = client.acquire("lost", LockOptions.defaults().leaseTime(Duration.ofMillis(50)));
			lease.onLost((loss) -> {
				throw new AssertionError("on purpose");
			});
			int told = i;
			FaultClients.await("the last observer is told", () -> this.losses.size() == told);
		}
		awaitLongerThanALease();

		assertThat(held.isHeldByCurrentThread()).isTrue();
		held.unlock();
	}

	@ParameterizedTest
	@EnumSource
	void keyOfAnotherTypeCostsOneHoldOfMany(RedisDriver driver) throws Exception {
		RedisLockClient client = open(driver);
		for (int i = 0; i < 50; i++) {
			client.getLock("orders-" + i).lock();
		}

		this.clients.redis().opsForValue().set(this.clients.key("orders-7"), "poison", Duration.ofMinutes(1));
		awaitLongerThanALease();

		assertThat(this.losses).extracting(LockLoss::name).containsExactly("orders-7");
		assertThat(this.losses.get(0).cause()).isEqualTo(Cause.GONE);
		for (int i = 0; i < 50; i++) {
			LeaseLock lock = client.getLock("orders-" + i);
			assertThat(lock.isHeldByCurrentThread()).isEqualTo(i != 7);
			if (i != 7) {
				lock.unlock();
			}
		}
		assertThatExceptionOfType(LockLostException.class).isThrownBy(client.getLock("orders-7")::unlock);
	}

	@ParameterizedTest
	@EnumSource
	void holdsSurviveErrorsOfRedisAtTheirRenewal(RedisDriver driver) throws Exception {
		try (RedisProcess own = RedisProcess.start()) {
			FaultClients some = new FaultClients(own, "errors:");
			RedisLockClient client = some.open(driver, own.host(), own.port(),
					(builder) -> builder.observer(new LossObserver(this.losses::add)));
			for (int i = 0; i < 5; i++) {
				client.getLock("orders-" + i).lock();
			}
			try (Jedis jedis = new Jedis(own.host(), own.port())) {
				jedis.aclSetUser("default", "-evalsha", "-eval");
				FaultClients.await("a renewal is overdue",
						() -> client.getLock("orders-4")
							.validFor()
							.toMillis() < FaultClients.WATCHDOG_TIMEOUT.toMillis() / 2);
				jedis.aclSetUser("default", "+evalsha", "+eval");
			}
			awaitLongerThanALease();

			assertThat(this.losses).isEmpty();
			for (int i = 0; i < 5; i++) {
				assertThat(client.getLock("orders-" + i).isHeldByCurrentThread()).isTrue();
				client.getLock("orders-" + i).unlock();
			}
			some.close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void holdSurvivesThatOtherThreadsTakeAllProcessorsAndTheCommonPool(RedisDriver driver) throws Exception {
		// Long enough for threads to get a processor now and then on a busy machine.
		Duration lease = Duration.ofSeconds(5);
		LeaseLock lock = open(driver, (builder) -> builder.watchdogTimeout(lease)).getLock("orders");
		lock.lock();
		CountDownLatch over = new CountDownLatch(1);
		this.crew.start("spin", 8, () -> {
			while (over.getCount() > 0) {
				Thread.onSpinWait();
			}
		});
		for (int i = 0; i < ForkJoinPool.getCommonPoolParallelism(); i++) {
			ForkJoinPool.commonPool().execute(() -> awaitUninterruptibly(over));
		}

		awaitLongerThan(lease);
		over.countDown();

		this.crew.join(FaultClients.PATIENCE);
		assertThat(this.losses).isEmpty();
		assertThat(lock.isHeldByCurrentThread()).isTrue();
		lock.unlock();
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		while (latch.getCount() > 0) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
		}
	}

	@ParameterizedTest
	@EnumSource
	void holdOfADeadThreadEndsWithItsLease(RedisDriver driver) throws Exception {
		Logger logger = (Logger) LoggerFactory.getLogger("io.holdfast.lock.leaks");
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.list = new CopyOnWriteArrayList<>();
		log.start();
		Level level = logger.getLevel();
		logger.addAppender(log);
		try {
			logger.setLevel(Level.DEBUG);
			RedisLockClient client = open(driver);
			Crew.Member careless = this.crew.start("careless", () -> client.getLock("orders").lock());
			careless.join(FaultClients.PATIENCE);
			long died = System.nanoTime();

			LeaseLock next = open(driver).getLock("orders");
			assertThat(next.tryLock(FaultClients.PATIENCE)).isTrue();

			Duration waited = Duration.ofNanos(System.nanoTime() - died);
			assertThat(waited).isLessThan(FaultClients.WATCHDOG_TIMEOUT.plusSeconds(3));
			assertThat(log.list).singleElement().satisfies((event) -> {
				assertThat(event.getFormattedMessage()).contains("orders", "thread 'careless'", "not released");
				assertThat(Arrays.toString(event.getThrowableProxy().getStackTraceElementProxyArray()))
					.contains("ClientFaultIT");
			});
			next.unlock();
			FaultClients.awaitForgotten(client);
		}
		finally {
			logger.detachAppender(log);
			logger.setLevel(level);
		}
	}

	// The clock

	@ParameterizedTest
	@EnumSource
	void pausePastTheDeadlineEndsAHoldBeforeAnybodyHasNoticed(RedisDriver driver) throws Exception {
		AtomicLong pause = new AtomicLong();
		RedisLockClient client = this.clients.open(driver, this.server.host(), this.server.port(),
				(builder) -> builder.observer(new LossObserver(this.losses::add))
					.nanoTime(() -> System.nanoTime() + pause.get()));
		LeaseLock lock = client.getLock("orders");
		LeaseLock next = open(driver).getLock("orders");
		Lease lease = client.acquire("goods", LockOptions.defaults());
		lock.lock();
		lock.lock();
		long token = lock.token();

		pause.addAndGet(FaultClients.WATCHDOG_TIMEOUT.toNanos());

		assertThat(lock.isHeldByCurrentThread()).isFalse();
		assertThat(lock.holdCount()).isZero();
		assertThat(lock.validFor()).isZero();
		assertThat(lease.isValid()).isFalse();
		assertThat(lease.validFor()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
		assertThat(next.tryLock(FaultClients.PATIENCE)).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock)
			.satisfies((ex) -> assertThat(ex.loss().token()).isEqualTo(token));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
		FaultClients.awaitForgotten(client);
		assertThat(lock.tryLock()).isFalse();
		assertThat(next.isHeldByCurrentThread()).isTrue();
		assertThat(next.token()).isGreaterThan(token);
		FaultClients.await("both losses are told", () -> this.losses.size() == 2);
		next.unlock();
	}

}
