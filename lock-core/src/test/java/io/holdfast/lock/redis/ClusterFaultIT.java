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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.RedisCluster;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What happens when a node of a cluster dies, stops, or gives its slots away.
 */
class ClusterFaultIT {

	/**
	 * Longer than a lease lasts: whoever waits for an answer of a stopped node renews
	 * nothing else in time.
	 */
	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);

	private static final Duration LEASE = Duration.ofSeconds(4);

	private final Crew crew = new Crew();

	private final Map<String, Long> lostNanos = new ConcurrentHashMap<>();

	private final List<LockLoss> losses = new ArrayList<>();

	/** By the port of the server. */
	private final Map<Integer, FaultProxy> proxies = new HashMap<>();

	private RedisCluster cluster;

	private FaultClients clients;

	private void start(String... arguments) {
		this.cluster = RedisCluster.start(arguments);
		this.clients = new FaultClients(this.cluster, "fault:");
	}

	@AfterEach
	void end() throws Exception {
		this.cluster.servers().stream().filter(RedisProcess::isAlive).forEach(RedisProcess::resume);
		this.crew.close();
		this.clients.close();
		this.proxies.values().forEach(FaultProxy::close);
		this.cluster.close();
	}

	private RedisLockClient open(RedisDriver driver, Duration lease) {
		return open(driver, lease, COMMAND_TIMEOUT);
	}

	private RedisLockClient open(RedisDriver driver, Duration lease, Duration commandTimeout) {
		RedisLockClient client = this.clients.open(this.clients.connect(driver, this.cluster, commandTimeout),
				(builder) -> builder.watchdogTimeout(lease).observer(new LossObserver(this::lost)));
		FaultClients.awaitHears(client);
		return client;
	}

	private synchronized void lost(LockLoss loss) {
		this.lostNanos.put(loss.name(), System.nanoTime());
		this.losses.add(loss);
	}

	private RedisProcess masterOf(String name) {
		return this.cluster.masterOf(this.clients.key(name));
	}

	private Map<String, RedisProcess> mastersOf(List<Lease> leases) {
		Map<String, RedisProcess> byKey = this.cluster
			.mastersOf(leases.stream().map((lease) -> this.clients.key(lease.name())).toList());
		return leases.stream()
			.collect(Collectors.toMap(Lease::name, (lease) -> byKey.get(this.clients.key(lease.name()))));
	}

	/**
	 * The first of many names that is, or is not, on a node.
	 */
	private String nameOn(RedisProcess node, boolean is) {
		List<String> keys = IntStream.range(0, 100).mapToObj((i) -> this.clients.key("other-" + i)).toList();
		Map<String, RedisProcess> masters = this.cluster.mastersOf(keys);
		String key = keys.stream().filter((each) -> (masters.get(each) == node) == is).findFirst().orElseThrow();
		return key.substring(this.clients.key("").length());
	}

	private static List<Lease> acquire(RedisLockClient client, int count) throws InterruptedException {
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			leases.add(client.acquire("lock-" + i, LockOptions.defaults()));
		}
		return leases;
	}

	/**
	 * The node does not fail over, so that nobody else can answer for it.
	 */
	@ParameterizedTest
	@EnumSource
	void stoppedNodeDelaysNoRenewalOfOtherNodes(RedisDriver driver) throws Exception {
		start("--cluster-replica-no-failover", "yes", "--cluster-require-full-coverage", "no");
		RedisLockClient client = open(driver, LEASE);
		List<Lease> leases = acquire(client, 400);
		Map<String, RedisProcess> masters = mastersOf(leases);
		RedisProcess stopped = masters.get("lock-0");
		long before = masters.values().stream().filter((each) -> each == stopped).count();
		// The first renewal has to ask where the nodes are, perhaps the one that stops.
		FaultClients.await("the first renewal",
				() -> !FaultClients.server(client).nodeOf(this.clients.key("orders")).isEmpty());

		stopped.pause();
		long start = System.nanoTime();
		FaultClients.await("the locks of the stopped node are lost", () -> this.lostNanos.size() >= before);
		FaultClients.await("three leases are over", () -> System.nanoTime() - start > 3 * LEASE.toNanos());

		assertThat(this.lostNanos.keySet()).allMatch((name) -> masters.get(name) == stopped).hasSize((int) before);
		assertThat(this.losses).extracting(LockLoss::cause).containsOnly(Cause.EXPIRED);
		for (Lease lease : leases) {
			assertThat(lease.isValid()).as(lease.name()).isEqualTo(masters.get(lease.name()) != stopped);
		}
		long first = this.lostNanos.values().stream().mapToLong((at) -> at - start).min().orElseThrow();
		long last = this.lostNanos.values().stream().mapToLong((at) -> at - start).max().orElseThrow();
		System.out.printf("%s: %d of %d locks lost, %d to %d ms after the stop%n", driver, before, leases.size(),
				first / 1_000_000, last / 1_000_000);
		assertThat(Duration.ofNanos(first)).isGreaterThan(LEASE.dividedBy(3));
		assertThat(Duration.ofNanos(last)).isLessThan(LEASE.plusSeconds(4));
	}

	/**
	 * The driver's time-out is longer than a first subscription may take, as most are.
	 */
	@ParameterizedTest
	@CsvSource({ "JEDIS, false", "JEDIS, true", "LETTUCE, false", "LETTUCE, true" })
	void subscriptionIsMadeAgainElsewhere(RedisDriver driver, boolean stops) throws Exception {
		// Other slots are served meanwhile.
		start("--cluster-require-full-coverage", "no");
		RedisLockClient holder = open(RedisDriver.JEDIS, Duration.ofSeconds(30));
		RedisLockClient waiting = open(driver, Duration.ofSeconds(30), Duration.ofSeconds(3));
		RedisProcess subscribed = subscribedNode(waiting.id());
		String name = nameOn(subscribed, false);
		Lease lease = holder.acquire(name, LockOptions.defaults());
		long[] granted = new long[1];
		Crew.Member waiter = this.crew.start("waiter", () -> {
			LeaseLock lock = waiting.getLock(name);
			lock.lock();
			granted[0] = System.nanoTime();
			lock.unlock();
		});
		this.clients.awaitWaiters(name, 1);

		if (stops) {
			subscribed.pause();
		}
		else {
			subscribed.kill();
		}
		long start = System.nanoTime();
		FaultClients.await("another node has the subscription",
				() -> this.cluster.servers()
					.stream()
					.anyMatch((each) -> each != subscribed && each.answers() && isSubscribed(each, waiting.id())));
		long again = System.nanoTime() - start;
		FaultClients.awaitHears(waiting);
		// Until the replica is the master, the cluster may be down for all.
		FaultClients.await("the cluster is up", () -> FaultClients.passingFailure(holder.getLock("up")).isEmpty());
		long released = System.nanoTime();
		lease.close();
		waiter.join(FaultClients.PATIENCE);

		System.out.printf("%s, node %s: subscribed again after %d ms; handed over within %d ms%n", driver,
				stops ? "stopped" : "killed", again / 1_000_000, (granted[0] - released) / 1_000_000);
		assertThat(Duration.ofNanos(granted[0] - released)).isLessThan(Duration.ofSeconds(8));
	}

	/**
	 * Redis loses all connections of the owner, and the network does not tell the owner.
	 * Others wait for its locks.
	 */
	@ParameterizedTest
	@EnumSource
	void ownerOfHalfOpenConnectionsKeepsItsLocks(RedisDriver driver) throws Exception {
		start();
		Duration grace = Duration.ofSeconds(2);
		this.cluster.servers().forEach((each) -> this.proxies.put(each.port(), new FaultProxy(each)));
		RedisLockClient owner = this.clients.open(this.clients.opened(connectThroughProxies(driver)),
				(builder) -> builder.watchdogTimeout(FaultFixture.LONG_LEASE)
					.takeoverAfter(grace)
					.observer(new LossObserver(this::lost)));
		RedisLockClient other = this.clients.open(
				this.clients.connect(RedisDriver.JEDIS, this.cluster, FaultClients.PATIENCE),
				(builder) -> builder.watchdogTimeout(FaultFixture.LONG_LEASE)
					.waiterTimeout(FaultFixture.LONG_LEASE)
					.takeoverAfter(grace));
		FaultClients.awaitHears(owner);
		FaultClients.awaitHears(other);
		List<Lease> leases = acquire(owner, 20);
		for (Lease each : leases) {
			this.crew.start(each.name(),
					() -> other.acquire(each.name(), LockOptions.defaults().waitTime(LockOptions.FOREVER)).close());
			this.clients.awaitWaiters(each.name(), 1);
		}
		FaultClients.pass(grace.multipliedBy(2));

		this.proxies.values().forEach(FaultProxy::leaveHalfOpen);
		FaultClients.pass(grace.multipliedBy(4));

		FaultClients.await("all are sure", () -> leases.stream().allMatch(Lease::isValid));
		assertThat(leases).allMatch(Lease::confirm);
		assertThat(this.losses).isEmpty();
		leases.forEach(Lease::close);
		this.crew.join(FaultClients.PATIENCE);
	}

	private int proxyOf(int port) {
		return this.proxies.get(port).port();
	}

	// What 4.1 deprecates is all that 3.5 has.
	@SuppressWarnings("deprecation")
	private RedisConnectionFactory connectThroughProxies(RedisDriver driver) {
		if (driver == RedisDriver.JEDIS) {
			JedisConnectionFactory jedis = new JedisConnectionFactory(this.cluster.configuration(),
					JedisClientConfiguration.builder()
						.customize((client) -> client.hostAndPortMapper(
								(node) -> new redis.clients.jedis.HostAndPort(node.getHost(), proxyOf(node.getPort()))))
						.build());
			jedis.afterPropertiesSet();
			jedis.start();
			return jedis;
		}
		Function<HostAndPort, HostAndPort> proxied = (node) -> HostAndPort.of(node.getHostText(),
				proxyOf(node.getPort()));
		LettuceConnectionFactory lettuce = new LettuceConnectionFactory(this.cluster.configuration(),
				LettuceClientConfiguration.builder()
					.clientResources(ClientResources.builder()
						.socketAddressResolver(MappingSocketAddressResolver.create(proxied))
						.build())
					.shutdownTimeout(Duration.ZERO)
					.build());
		lettuce.afterPropertiesSet();
		lettuce.start();
		return lettuce;
	}

	private RedisProcess subscribedNode(String clientId) {
		return this.cluster.servers().stream().filter((each) -> isSubscribed(each, clientId)).findFirst().orElseThrow();
	}

	private static boolean isSubscribed(RedisProcess node, String clientId) {
		return !((List<?>) node.command("PUBSUB", "CHANNELS", "fault:client:" + clientId)).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void locksMoveWithTheirSlots(RedisDriver driver) throws Exception {
		start();
		RedisLockClient client = open(driver, LEASE);
		LeaseLock lock = client.getLock("moving");
		lock.lock();
		long token = lock.token();
		RedisProcess source = masterOf("moving");
		RedisProcess target = this.cluster.masters()
			.stream()
			.filter((each) -> each != source)
			.findFirst()
			.orElseThrow();

		this.cluster.beginMove(this.clients.key("moving"), target);
		FaultClients.pass(LEASE);
		assertThat(lock.isHeldByCurrentThread()).isTrue();
		this.cluster.move(this.clients.key("moving"), target);
		FaultClients.pass(LEASE);

		assertThat(masterOf("moving")).isSameAs(target);
		assertThat(lock.isHeldByCurrentThread()).isTrue();
		lock.unlock();
		lock.lock();
		assertThat(lock.token()).isGreaterThan(token);
		lock.unlock();
		assertThat(this.losses).isEmpty();
	}

}
