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

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Others have the locks of a killed process soon, and those of one that lives never, be
 * it paused or cut off for a while.
 */
class KilledOwnerIT extends FaultFixture {

	private static final Duration GRACE = Duration.ofSeconds(2);

	private static final LockOptions LEASED = LockOptions.defaults().leaseTime(LONG_LEASE);

	private final List<JavaProcess> processes = new ArrayList<>();

	KilledOwnerIT() {
		super(RedisProcess.shared());
	}

	@AfterEach
	void endProcesses() {
		this.processes.forEach(JavaProcess::close);
	}

	private JavaProcess start(RedisDriver driver) {
		JavaProcess process = JavaProcess.startWithOptions(
				List.of("-Dtakeover=" + GRACE.toMillis(), "-cp", System.getProperty("java.class.path")), driver.name(),
				LockProcess.class, driver.name(), this.server.host(), Integer.toString(this.server.port()), this.prefix,
				Long.toString(LONG_LEASE.toMillis()));
		this.processes.add(process);
		process.awaitLine("READY", FaultClients.PATIENCE);
		return process;
	}

	private RedisLockClient tied(RedisDriver driver) {
		RedisLockClient client = openPatient(driver, this.server.port(),
				(builder) -> builder.watchdogTimeout(LONG_LEASE)
					.takeoverAfter(GRACE)
					.observer(new LossObserver(this.losses::add)));
		FaultClients.awaitHears(client);
		return client;
	}

	private String owner(String name) {
		return String.valueOf(this.clients.redis().opsForHash().get(this.clients.key(name), "owner"));
	}

	@ParameterizedTest
	@EnumSource
	void locksOfAKilledProcessGoToThoseWhoWait(RedisDriver driver) throws Exception {
		JavaProcess killed = start(driver);
		RedisLockClient other = tied(driver);
		for (int i = 0; i < 5; i++) {
			killed.tell("acquire lock-" + i + " false");
			killed.awaitLine("HELD lock-" + i, FaultClients.PATIENCE);
		}
		List<Long> taken = new CopyOnWriteArrayList<>();
		for (int i = 0; i < 5; i++) {
			LeaseLock lock = other.getLock("lock-" + i, LEASED);
			this.crew.start("waiter-" + i, () -> {
				lock.lock();
				taken.add(System.nanoTime());
				lock.unlock();
			});
			this.clients.awaitWaiters("lock-" + i, 1);
		}
		FaultClients.await("its holds are tied", () -> owner("lock-4").contains("#"));
		FaultClients.pass(GRACE.multipliedBy(2));

		killed.kill();
		long start = System.nanoTime();
		this.crew.join(FaultClients.PATIENCE);

		System.out.printf("%s: killed; taken over after %s ms%n", driver,
				taken.stream().map((each) -> (each - start) / 1_000_000).sorted().toList());
		assertThat(taken).allMatch((each) -> each - start > GRACE.toNanos() / 2);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(GRACE.plus(SLACK.multipliedBy(2)));
	}

	@ParameterizedTest
	@EnumSource
	void pausedProcessKeepsItsLock(RedisDriver driver) throws Exception {
		JavaProcess paused = start(driver);
		RedisLockClient other = tied(driver);
		paused.tell("acquire orders false");
		paused.awaitLine("HELD orders", FaultClients.PATIENCE);
		Crew.Member waiter = this.crew.start("waiter", () -> {
			LeaseLock lock = other.getLock("orders", LEASED);
			lock.lock();
			lock.unlock();
		});
		this.clients.awaitWaiters("orders", 1);
		FaultClients.pass(GRACE.multipliedBy(2));

		paused.pause();
		FaultClients.pass(GRACE.multipliedBy(3));
		assertThat(waiter.thread().isAlive()).isTrue();
		paused.resume();

		FaultClients.await("it is sure again", () -> {
			String mark = Long.toString(System.nanoTime());
			paused.tell("look orders " + mark);
			paused.awaitLine("VALID", FaultClients.PATIENCE);
			return paused.toString().contains("VALID true " + mark);
		});
		assertThat(paused.toString()).doesNotContain("LOST");
		paused.tell("release orders");
		paused.awaitLine("RELEASED orders", FaultClients.PATIENCE);
		waiter.join(FaultClients.PATIENCE);
	}

}
