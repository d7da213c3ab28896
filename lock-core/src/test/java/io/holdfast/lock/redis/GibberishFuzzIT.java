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
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.Fuzz;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.assertj.core.util.Throwables;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A server that speaks {@link Gibberish} for a while: nobody believes to hold a lock,
 * every call ends with the exception that says so, and when it speaks properly again
 * nothing is left of it.
 */
@Timeout(600)
class GibberishFuzzIT {

	/**
	 * Shorter than {@link FaultClients#PATIENCE}: where a server says that it refused
	 * what it has done, the lease ends that. Nothing renews it meanwhile, so a round
	 * breaks things for half of it.
	 */
	private static final Duration LEASE = Duration.ofSeconds(15);

	private static final AtomicInteger NUMBER = new AtomicInteger();

	private final FaultProxy proxy = new FaultProxy(RedisProcess.shared());

	private final FaultClients clients = new FaultClients(RedisProcess.shared(),
			"gibberish" + NUMBER.incrementAndGet() + ":");

	private final Crew crew = new Crew();

	@AfterEach
	void end() throws Exception {
		this.proxy.heal();
		this.crew.close();
		this.clients.assertNothingLastsForEver();
		this.clients.close();
		this.proxy.close();
	}

	@ParameterizedTest
	@EnumSource
	void nothingOfItIsBelieved(RedisDriver driver) {
		RedisLockClient direct = this.clients.open(RedisDriver.JEDIS, RedisProcess.shared());
		Duration timeout = Duration.ofMillis(200);
		RedisLockClient client = this.clients.open(driver.connect(this.proxy.host(), this.proxy.port(), timeout),
				(builder) -> builder.watchdogTimeout(LEASE));
		FaultClients.awaitHears(client, direct);

		Fuzz.forAbout(Duration.ofSeconds(6), (random) -> {
			boolean withErrors = random.nextBoolean();
			Gibberish gibberish = new Gibberish(random, withErrors);
			List<String> names = new ArrayList<>();
			for (int i = 0; i < 8; i++) {
				names.add("orders-" + NUMBER.incrementAndGet());
			}
			LeaseLock held = client.getLock("held-" + names.get(0));
			this.proxy.garble(gibberish::remember);
			held.lock();
			long locked = System.nanoTime();

			this.proxy.garble(gibberish::insteadOf);
			for (String name : names) {
				if (System.nanoTime() - locked < LEASE.toNanos() / 2) {
					refuses(client.getLock(name), client, random, withErrors);
				}
			}
			assertThat(held.isHeldByCurrentThread()).isTrue();
			long start = System.nanoTime();
			Throwable thrown = catchThrowable(held::unlock);
			assertAnswerIsLost(thrown, withErrors, start);
			assertThat(held.isHeldByCurrentThread()).isFalse();

			this.proxy.heal();
			this.proxy.cut();
			assertWorks(client, direct, names.get(0));
			names.forEach(this.clients::awaitFree);
			this.clients.awaitFree(held.name());
			FaultClients.awaitForgotten(client);
		});
	}

	/**
	 * Tries to get a lock in some way.
	 */
	private static void refuses(LeaseLock lock, RedisLockClient client, Random random, boolean withErrors) {
		long start = System.nanoTime();
		LockDirectory directory = client.directory();
		switch (random.nextInt(8)) {
			case 0, 1 ->
				assertAnswerIsLost(catchThrowable(() -> assertThat(lock.tryLock()).isFalse()), withErrors, start);
			case 2 ->
				assertAnswerIsLost(catchThrowable(() -> assertThat(lock.tryLock(Duration.ofMillis(200))).isFalse()),
						withErrors, start);
			case 3 -> assertAnswerIsLost(catchThrowable(() -> {
				try (Lease lease = client.acquire(lock.name(), LockOptions.defaults().waitTime(Duration.ofMillis(1)))) {
					throw new AssertionError("There is a " + lease);
				}
			}), withErrors, start);
			case 4 -> assertFailsProperly(catchThrowable(lock::forceUnlock), start);
			case 5 -> assertFailsProperly(catchThrowable(lock::isLocked), start);
			case 6 -> assertFailsProperly(catchThrowable(() -> directory.list(null, 10)), start);
			default -> assertFailsProperly(catchThrowable(() -> directory.queue(lock.name(), 10)), start);
		}
		assertThat(lock.isHeldByCurrentThread()).isFalse();
	}

	private static void assertAnswerIsLost(Throwable thrown, boolean withErrors, long start) {
		assertThat(thrown).isNotNull();
		assertFailsProperly(thrown, start);
		if (!withErrors && thrown instanceof LockServerException ex) {
			assertThat(ex.reason()).as(() -> stackTrace(thrown)).isNotEqualTo(Reason.REFUSED);
		}
	}

	/**
	 * What has no id may be believed, if it is what such an answer looks like. A driver
	 * believes the length of a text, and asks for the memory.
	 */
	private static void assertFailsProperly(Throwable thrown, long start) {
		if (thrown != null) {
			assertThat(thrown).as(() -> stackTrace(thrown))
				.isInstanceOfAny(LockServerException.class, OutOfMemoryError.class);
		}
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(FaultClients.PATIENCE);
	}

	private static String stackTrace(Throwable thrown) {
		return Throwables.getStackTrace(thrown);
	}

	/**
	 * Lettuce connects again the later the longer it failed to.
	 */
	private void assertWorks(RedisLockClient client, RedisLockClient other, String name) throws Exception {
		LeaseLock lock = client.getLock("next-" + name);
		Throwable[] thrown = new Throwable[1];
		try {
			Awaitility.await().pollInSameThread().atMost(FaultClients.PATIENCE.multipliedBy(3)).until(() -> {
				thrown[0] = catchThrowable(() -> lockAndUnlock(lock));
				return thrown[0] == null;
			});
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError("The client does not work", thrown[0]);
		}
		FaultClients.awaitHears(client);
		LeaseLock held = other.getLock(lock.name());
		held.lock();
		Crew.Member waiter = this.crew.start("waiter", () -> lockAndUnlock(lock));
		this.clients.awaitWaiters(lock.name(), 1);
		held.unlock();
		waiter.join(FaultClients.PATIENCE);
	}

	private static void lockAndUnlock(LeaseLock lock) throws InterruptedException {
		assertThat(lock.tryLock(FaultClients.PATIENCE)).isTrue();
		assertThat(lock.holdCount()).isEqualTo(1);
		try {
			lock.unlock();
		}
		catch (LockServerException ex) {
			// A busy machine may not answer in time.
			assertThat(ex.reason()).isEqualTo(Reason.TIMED_OUT);
		}
	}

}
