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
import io.holdfast.lock.testing.RedisCluster;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.RedisSentinels;
import io.holdfast.lock.testing.RedisTopology;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Waiters soon get the locks of a killed process, but not those of a paused one.
 */
class KilledOwnerIT {

	private static final Duration GRACE = Duration.ofSeconds(2);

	private static final String PREFIX = "fault:";

	private final Crew crew = new Crew();

	private final List<JavaProcess> processes = new ArrayList<>();

	private Setup setup;

	private RedisTopology redis;

	private FaultClients clients;

	private void start(Setup chosen) {
		this.setup = chosen;
		this.redis = chosen.start();
		this.clients = new FaultClients(this.redis, PREFIX);
	}

	@AfterEach
	void end() throws Exception {
		this.processes.forEach(JavaProcess::close);
		this.crew.close();
		this.clients.assertNothingLastsForEver();
		this.clients.close();
		this.redis.close();
	}

	private JavaProcess startOwner(RedisDriver driver) {
		RedisProcess asked = this.setup.asked(this.redis);
		JavaProcess process = JavaProcess.startWithOptions(
				List.of("-Dtakeover=" + GRACE.toMillis(), "-Dtopology=" + this.setup, "-cp",
						System.getProperty("java.class.path")),
				driver.name(), LockProcess.class, driver.name(), asked.host(), Integer.toString(asked.port()), PREFIX,
				Long.toString(FaultFixture.LONG_LEASE.toMillis()));
		this.processes.add(process);
		process.awaitLine("READY", FaultClients.PATIENCE);
		return process;
	}

	private RedisLockClient openOther(RedisDriver driver) {
		RedisLockClient client = this.clients.open(this.clients.connect(driver, this.redis, FaultClients.PATIENCE),
				(builder) -> FaultClients.patient(builder).takeoverAfter(GRACE));
		FaultClients.awaitHears(client);
		FaultClients.pass(GRACE.multipliedBy(2));
		return client;
	}

	/**
	 * {@code -Dkills=30} measures how soon.
	 */
	@ParameterizedTest
	@CsvSource({ "ONE, JEDIS, exclusive", "ONE, LETTUCE, exclusive", "ONE, JEDIS, shared", "ONE, LETTUCE, permits",
			"SENTINEL, JEDIS, exclusive", "SENTINEL, LETTUCE, exclusive", "CLUSTER, JEDIS, exclusive",
			"CLUSTER, LETTUCE, exclusive" })
	void locksOfAKilledProcessGoToThoseWhoWait(Setup where, RedisDriver driver, String kind) throws Exception {
		start(where);
		RedisLockClient other = openOther(driver);
		List<Long> millis = new ArrayList<>();
		for (int i = 0; i < Integer.getInteger("kills", 1); i++) {
			millis.addAll(this.clients.killOwner(startOwner(driver), kind, other, "lock-" + i + '-', GRACE, this.crew));
		}

		System.out.printf("%s, %s, %s: killed; taken over after %s%n", where, driver, kind,
				FaultClients.describe(millis));
		assertThat(millis).allMatch((each) -> each >= GRACE.toMillis() - 1)
			.allMatch((each) -> each < GRACE.plus(FaultFixture.SLACK.multipliedBy(2)).toMillis());
	}

	/**
	 * {@code -Dpaused=20 -Dpause.seconds=20} stops so many, for so long.
	 */
	@ParameterizedTest
	@EnumSource
	void pausedProcessKeepsItsLock(RedisDriver driver) throws Exception {
		start(Setup.ONE);
		RedisLockClient other = openOther(driver);
		List<JavaProcess> paused = new ArrayList<>();
		List<Crew.Member> waiters = new ArrayList<>();
		for (int i = 0; i < Integer.getInteger("paused", 1); i++) {
			String name = "lock-" + i;
			JavaProcess process = startOwner(driver);
			paused.add(process);
			process.tell("acquire " + name + " exclusive");
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

	enum Setup {

		ONE, SENTINEL, CLUSTER;

		RedisTopology start() {
			return switch (this) {
				case ONE -> RedisProcess.start();
				case SENTINEL -> RedisSentinels.start();
				case CLUSTER -> RedisCluster.start();
			};
		}

		/**
		 * The one that processes ask for all others.
		 */
		RedisProcess asked(RedisTopology redis) {
			return (redis instanceof RedisSentinels sentinels) ? sentinels.sentinels().get(0) : redis.servers().get(0);
		}

	}

}
