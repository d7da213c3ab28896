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
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockDirectory.Filter;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.RedisCluster;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What happens when a cluster is changed by command, has no master for some of its slots,
 * or is sent a command more than once.
 */
class ClusterChangeIT {

	private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

	private static final AtomicInteger NUMBER = new AtomicInteger();

	private static RedisCluster cluster;

	private final FaultClients clients = new FaultClients(cluster, "change" + NUMBER.incrementAndGet() + ":");

	private final Crew crew = new Crew();

	private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	@BeforeAll
	static void start() {
		cluster = RedisCluster.start();
	}

	@AfterAll
	static void stop() {
		cluster.close();
	}

	@AfterEach
	void end() throws Exception {
		this.crew.close();
		this.clients.close();
	}

	private RedisLockClient open(RedisDriver driver, Duration timeout) {
		RedisLockClient client = this.clients.open(this.clients.connect(driver, cluster, COMMAND_TIMEOUT),
				(builder) -> builder.watchdogTimeout(timeout)
					.waiterTimeout(timeout)
					.observer(new LossObserver(this.losses::add)));
		FaultClients.awaitHears(client);
		return client;
	}

	/**
	 * One of the names that are, or are not, on a node.
	 */
	private String nameOn(RedisProcess node, boolean is, int number) {
		return IntStream.range(0, 100)
			.mapToObj((i) -> "name-" + i)
			.filter((name) -> (cluster.masterOf(this.clients.key(name)) == node) == is)
			.skip(number)
			.findFirst()
			.orElseThrow();
	}

	private static void configure(String name, String value) {
		cluster.servers()
			.stream()
			.filter(RedisProcess::isAlive)
			.forEach((each) -> each.command("CONFIG", "SET", name, value));
	}

	/**
	 * Of each client two locks of the slot have moved, one has not, and one is new: a
	 * script for all of them is told to try again.
	 */
	@Test
	void locksThatShareASlotOutlastItsMove() throws Exception {
		// Long enough for a renewal on a busy machine.
		Duration timeout = Duration.ofSeconds(8);
		List<Lease> leases = new ArrayList<>();
		Map<RedisDriver, RedisLockClient> opened = new EnumMap<>(RedisDriver.class);
		for (RedisDriver driver : RedisDriver.values()) {
			opened.put(driver, open(driver, timeout));
			for (int i = 0; i < 3; i++) {
				leases.add(opened.get(driver).acquire("{moving}" + driver + i, LockOptions.defaults()));
			}
		}
		String key = this.clients.key("{moving}");
		RedisProcess source = cluster.masterOf(key);
		RedisProcess target = cluster.masters().stream().filter((each) -> each != source).findFirst().orElseThrow();

		cluster.beginMove(key, target);
		for (RedisDriver driver : RedisDriver.values()) {
			for (int i = 0; i < 2; i++) {
				source.command("MIGRATE", target.host(), Integer.toString(target.port()), key + driver + i, "0",
						"5000");
			}
			leases.add(opened.get(driver).acquire("{moving}" + driver + 3, LockOptions.defaults()));
		}
		FaultClients.pass(timeout);
		for (RedisLockClient client : opened.values()) {
			assertThat(LockContract.listed(client.directory(), LockDirectory.MAX_LIMIT, Filter.ALL))
				.containsAll(leases.stream().map(Lease::name).toList());
		}
		cluster.move(key, target);

		assertThat(leases).allMatch(Lease::isValid);
		leases.forEach(Lease::close);
		assertThat(this.losses).isEmpty();
	}

	@Test
	void failoverByCommandLosesNothing() throws Exception {
		List<Lease> leases = new ArrayList<>();
		FaultLoad load = new FaultLoad();
		RedisProcess master = cluster.masterOf(this.clients.key("orders"));
		for (RedisDriver driver : RedisDriver.values()) {
			RedisLockClient client = open(driver, Duration.ofSeconds(12));
			leases.add(client.acquire(nameOn(master, true, leases.size()), LockOptions.defaults()));
			load.start(this.crew, client.getLock("orders"), 2);
		}
		load.awaitMore(50);

		cluster.failOver(cluster.replicaOf(master));
		load.awaitMore(50);
		load.stop(this.crew);

		System.out.printf("Failover by command: longest gap %d ms, %d failures%n", load.longestGap().toMillis(),
				load.failures());
		assertThat(leases).allMatch(Lease::isValid);
		leases.forEach(Lease::close);
		assertThat(this.losses).isEmpty();
	}

	@Test
	void clusterThatLacksAMasterIsDownForAllOrForItsLocksOnly() throws Exception {
		configure("cluster-replica-no-failover", "yes");
		RedisProcess dead = cluster.masters().get(0);
		List<LeaseLock> ofDead = new ArrayList<>();
		List<LeaseLock> ofOthers = new ArrayList<>();
		for (RedisDriver driver : RedisDriver.values()) {
			RedisLockClient client = open(driver, Duration.ofSeconds(30));
			ofDead.add(client.getLock(nameOn(dead, true, 0)));
			ofOthers.add(client.getLock(nameOn(dead, false, 0)));
		}
		Lease held = open(RedisDriver.JEDIS, Duration.ofSeconds(30)).acquire(nameOn(dead, false, 1),
				LockOptions.defaults());

		dead.kill();
		for (LeaseLock lock : ofOthers) {
			FaultClients.await("the cluster is down", () -> FaultClients.passingFailure(lock).contains("CLUSTERDOWN"));
			this.crew.start("waiter", () -> {
				assertThat(lock.tryLock(FaultClients.PATIENCE)).isTrue();
				this.clients.unlock(lock);
			});
		}
		configure("cluster-require-full-coverage", "no");
		this.crew.join(FaultClients.PATIENCE);
		assertThat(ofDead).allSatisfy((lock) -> assertThat(FaultClients.passingFailure(lock)).isNotEmpty());

		dead.startAgain();
		cluster.awaitReady();
		for (LeaseLock lock : ofDead) {
			FaultClients.await("it has a master", () -> FaultClients.passingFailure(lock).isEmpty());
		}
		assertThat(held.isValid()).isTrue();
		held.close();
		assertThat(this.losses).isEmpty();
		configure("cluster-require-full-coverage", "yes");
		configure("cluster-replica-no-failover", "no");
	}

	/**
	 * Jedis sends a command again that gets no answer in time, and says nothing of it.
	 */
	@Test
	void requestThatIsSentSeveralTimesIsOneGrant() throws Exception {
		RedisLockClient client = open(RedisDriver.JEDIS, Duration.ofSeconds(30));
		LeaseLock lock = client.getLock("orders");
		lock.lock();
		lock.unlock();
		RedisProcess node = cluster.masterOf(this.clients.key("orders"));
		long before = scripts(node);
		node.pause();
		Crew.Member resumer = this.crew.start("resumer", () -> {
			// It is sent twice then.
			FaultClients.pass(COMMAND_TIMEOUT.multipliedBy(2).plusMillis(200));
			node.resume();
		});

		lock.lock();

		resumer.join(FaultClients.PATIENCE);
		assertThat(scripts(node) - before).isGreaterThanOrEqualTo(2);
		assertThat(lock.holdCount()).isEqualTo(1);
		lock.unlock();
		this.clients.awaitFree("orders");
		FaultClients.awaitForgotten(client);
		assertThat(this.losses).isEmpty();
	}

	private static long scripts(RedisProcess node) {
		return Long.parseLong(node.info("commandstats", "cmdstat_evalsha").replaceAll("calls=(\\d+),.*", "$1"));
	}

}
