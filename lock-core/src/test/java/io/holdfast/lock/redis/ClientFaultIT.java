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

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.VirtualThreads;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What happens when threads of the application are interrupted, give up, die or starve,
 * when its observers fail, and when its clock jumps.
 */
class ClientFaultIT extends FaultFixture {

	private static final int STORM_ROUNDS = 4_000;

	ClientFaultIT() {
		super(RedisProcess.shared());
	}

	// Interrupts and time-outs

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void stormOfInterruptsAndTimeOutsLeavesNothingBehind(boolean fair) throws Exception {
		interruptAll(fair, new Crew());
	}

	/**
	 * An interrupt closes the socket that a virtual thread reads from.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "There are no virtual threads")
	void stormOfInterruptsOfVirtualThreadsLeavesNothingBehind(boolean fair) throws Exception {
		interruptAll(fair, new Crew(VirtualThreads.factory()));
	}

	private void interruptAll(boolean fair, Crew storm) throws Exception {
		List<RedisLockClient> both = List.of(openPatient(RedisDriver.JEDIS), openPatient(RedisDriver.LETTUCE));
		AtomicInteger rounds = new AtomicInteger();
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger granted = new AtomicInteger();
		AtomicInteger interrupted = new AtomicInteger();
		AtomicLong token = new AtomicLong();
		List<Thread> threads = new CopyOnWriteArrayList<>();
		for (int i = 0; i < 6; i++) {
			LeaseLock lock = both.get(i % 2).getLock("orders", LockOptions.defaults().fair(fair));
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

		System.out.printf("%s: %d rounds, %d grants, %d interrupted%n", fair, STORM_ROUNDS, granted.get(),
				interrupted.get());
		assertThat(granted).hasPositiveValue();
		assertThat(interrupted).hasPositiveValue();
		assertThat(this.losses).isEmpty();
		this.clients.awaitFree("orders");
		for (RedisLockClient client : both) {
			FaultClients.awaitForgotten(client);
			LeaseLock lock = client.getLock("orders", LockOptions.defaults().fair(fair));
			assertThat(lock.tryLock(FaultClients.PATIENCE)).isTrue();
			lock.unlock();
		}
	}

	// The watchdog

	@ParameterizedTest
	@EnumSource
	void holdSurvivesThatOtherThreadsTakeAllProcessorsAndTheCommonPool(RedisDriver driver) throws Exception {
		LeaseLock lock = openPatient(driver, this.server.port(), this::withClock).getLock("orders");
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

		for (int i = 0; i < 3; i++) {
			setForwardToRenewal();
			FaultClients.await("a renewal", () -> lock.validFor().compareTo(LONG_LEASE.minusSeconds(20)) > 0);
		}
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
			assertThat(waited).isLessThan(FaultClients.WATCHDOG_TIMEOUT.plus(SLACK));
			FaultClients.await("a warning", () -> !log.list.isEmpty());
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

}
