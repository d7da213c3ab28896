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

import io.holdfast.lock.LeaseLock;
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

	/**
	 * {@code -Dkills=30} measures how soon.
	 */
	@ParameterizedTest
	@EnumSource
	void locksOfAKilledProcessGoToThoseWhoWait(RedisDriver driver) throws Exception {
		RedisLockClient other = tied(driver);
		FaultClients.pass(GRACE.multipliedBy(2));
		List<Long> millis = new ArrayList<>();
		for (int i = 0; i < Integer.getInteger("kills", 1); i++) {
			millis.addAll(this.clients.killOwner(start(driver), other, "lock-" + i + '-', GRACE, this.crew));
		}

		System.out.printf("%s: killed; taken over after %s%n", driver, FaultClients.describe(millis));
		assertThat(millis).allMatch((each) -> each >= GRACE.toMillis() - 1)
			.allMatch((each) -> each < GRACE.plus(SLACK.multipliedBy(2)).toMillis());
	}

	/**
	 * {@code -Dpaused=20 -Dpause.seconds=20} stops so many, for so long.
	 */
	@ParameterizedTest
	@EnumSource
	void pausedProcessKeepsItsLock(RedisDriver driver) throws Exception {
		RedisLockClient other = tied(driver);
		List<JavaProcess> paused = new ArrayList<>();
		List<Crew.Member> waiters = new ArrayList<>();
		for (int i = 0; i < Integer.getInteger("paused", 1); i++) {
			String name = "lock-" + i;
			JavaProcess process = start(driver);
			paused.add(process);
			process.tell("acquire " + name + " false");
			process.awaitLine("HELD " + name, FaultClients.PATIENCE);
			waiters.add(this.crew.start(name, () -> {
				LeaseLock lock = other.getLock(name);
				lock.lock();
				lock.unlock();
			}));
			this.clients.awaitWaiters(name, 1);
		}
		FaultClients.pass(GRACE.multipliedBy(2));

		paused.forEach(JavaProcess::pause);
		FaultClients.pass(Duration.ofSeconds(Long.getLong("pause.seconds", 3 * GRACE.toSeconds())));
		assertThat(waiters).allMatch((each) -> each.thread().isAlive());
		paused.forEach(JavaProcess::resume);

		for (int i = 0; i < paused.size(); i++) {
			giveBack(paused.get(i), "lock-" + i);
		}
		this.crew.join(FaultClients.PATIENCE);
	}

	private static void giveBack(JavaProcess process, String name) throws Exception {
		FaultClients.await("it is sure again", () -> {
			String mark = Long.toString(System.nanoTime());
			process.tell("look " + name + " " + mark);
			process.awaitLine("VALID", FaultClients.PATIENCE);
			return process.toString().contains("VALID true " + mark);
		});
		assertThat(process.toString()).doesNotContain("LOST");
		process.tell("release " + name);
		process.awaitLine("RELEASED " + name, FaultClients.PATIENCE);
	}

}
