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

package io.holdfast.lock.internal.driver;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.StreamSupport;

import io.holdfast.lock.internal.driver.DriverFixture.Kind;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisCluster;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Connections to a cluster while a node of it hangs.
 */
class ClusterDriverIT {

	private static final Duration LONG = TestThreads.LONG;

	@Test
	void nodeThatHangsDoesNotKeepRenewalsWaitingForConnectionsOfTheirOwn() {
		try (RedisCluster cluster = RedisCluster.start()) {
			RedisProcess seed = cluster.masters().get(0);
			RedisClusterConfiguration configuration = new RedisClusterConfiguration();
			configuration.clusterNode(seed.host(), seed.port());
			var factory = Kind.JEDIS.driver.connect(configuration, LONG);
			RedisDriver driver = RedisDriver.of(factory, LONG);
			String key = key(driver, seed, false);
			assertThat(exists(driver, false, key)).isFalse();
			assertEndsSoon(seed, factory, driver, () -> assertThat(exists(driver, true, key)).isFalse());
		}
	}

	@ParameterizedTest
	@EnumSource
	void callToANodeThatHangsEnds(Kind kind) {
		try (RedisCluster cluster = RedisCluster.start()) {
			var factory = kind.driver.connect(cluster.configuration(), Duration.ofMinutes(1));
			RedisDriver driver = RedisDriver.of(factory, RedisDriver.LONGEST_REQUEST);
			RedisProcess hangs = cluster.masters().get(0);
			String there = key(driver, hangs, true);
			awaitAnswer(driver, there);
			assertEndsSoon(hangs, factory, driver, () -> fail(driver, there, 1));
		}
	}

	private static void assertEndsSoon(RedisProcess hangs, RedisConnectionFactory factory, RedisDriver driver,
			Runnable call) {
		hangs.pause();
		try {
			long start = System.nanoTime();
			call.run();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LONG.dividedBy(2));
		}
		finally {
			hangs.resume();
			driver.close();
			io.holdfast.lock.testing.RedisDriver.disconnect(factory);
		}
	}

	@Test
	void callsToANodeThatHangsTakeNoConnectionFromCallsToAnother() throws Exception {
		try (RedisCluster cluster = RedisCluster.start("--cluster-replica-no-failover", "yes",
				"--cluster-require-full-coverage", "no"); Crew crew = new Crew()) {
			var factory = Kind.JEDIS.driver.connect(cluster.configuration(), Duration.ofMinutes(1));
			RedisDriver driver = RedisDriver.of(factory, RedisDriver.LONGEST_REQUEST);
			RedisProcess hangs = cluster.masters().get(0);
			String there = key(driver, hangs, true);
			String key = key(driver, cluster.masters().get(1), true);
			awaitAnswer(driver, there);
			awaitAnswer(driver, key);
			hangs.pause();
			try {
				CountDownLatch failed = new CountDownLatch(1);
				crew.start("caller", 3 * JedisDriver.MOST_REQUESTS, () -> {
					fail(driver, there, 1);
					failed.countDown();
					for (int i = 0; i < 3; i++) {
						Throwable unused = catchThrowable(() -> exists(driver, false, there));
					}
				});
				TestThreads.await(failed);

				for (int i = 0; i < 100; i++) {
					Throwable thrown = catchThrowable(() -> exists(driver, false, key));
					assertThat(Link.has(thrown, NoSuchElementException.class)).as("no connection is left").isFalse();
				}
			}
			finally {
				hangs.resume();
				driver.close();
				io.holdfast.lock.testing.RedisDriver.disconnect(factory);
			}
		}
	}

	@Test
	void renewalsHaveConnectionsAlthoughRequestsUseAllOfTheirs() throws Exception {
		try (RedisCluster cluster = RedisCluster.start(); Crew crew = new Crew()) {
			var factory = Kind.JEDIS.driver.connect(cluster.configuration(), LONG);
			RedisDriver driver = RedisDriver.of(factory, LONG);
			RedisProcess node = cluster.masters().get(0);
			byte[] key = key(driver, node, true).getBytes(StandardCharsets.UTF_8);
			crew.start("hog", 2 * JedisDriver.MOST_IN_CLUSTER,
					() -> driver.call(false, (connection) -> connection.listCommands().bLPop(0, key)));
			String most = Integer.toString(JedisDriver.MOST_IN_CLUSTER);
			Awaitility.await().atMost(LONG).until(() -> node.info("clients", "blocked_clients").equals(most));

			assertThat(exists(driver, true, new String(key, StandardCharsets.UTF_8))).isFalse();

			for (int i = 0; i < 2 * JedisDriver.MOST_IN_CLUSTER; i++) {
				node.command("RPUSH", new String(key, StandardCharsets.UTF_8), "1");
			}
			crew.join(LONG);
			driver.close();
			io.holdfast.lock.testing.RedisDriver.disconnect(factory);
		}
	}

	/**
	 * Nor although that node has not answered for longer than a renewal waits.
	 */
	@Test
	void nodeThatHangsCostsLettuceNoAnswerOfAnother() throws Exception {
		try (RedisCluster cluster = RedisCluster.start("--cluster-replica-no-failover", "yes",
				"--cluster-require-full-coverage", "no"); Crew crew = new Crew()) {
			var factory = Kind.LETTUCE.driver.connect(cluster.configuration(), Duration.ofMinutes(1));
			RedisDriver driver = RedisDriver.of(factory, RedisDriver.LONGEST_REQUEST);
			RedisProcess hangs = cluster.masters().get(0);
			RedisProcess other = cluster.masters().get(1);
			String there = key(driver, hangs, true);
			String key = key(driver, other, true);
			awaitAnswer(driver, there);
			awaitAnswer(driver, key);
			hangs.pause();
			try {
				fail(driver, there, 5);
				AtomicReference<List<byte[]>> answer = new AtomicReference<>();
				Crew.Member waiting = crew.start("waiting", () -> answer.set(driver.call(true,
						(connection) -> connection.listCommands().bLPop(60, key.getBytes(StandardCharsets.UTF_8)))));
				fail(driver, there, 1);
				other.command("RPUSH", key, "1");

				waiting.join(LONG);

				assertThat(answer.get()).hasSize(2);
			}
			finally {
				hangs.resume();
				driver.close();
				io.holdfast.lock.testing.RedisDriver.disconnect(factory);
			}
		}
	}

	private static void fail(RedisDriver driver, String key, int times) {
		for (int i = 0; i < times; i++) {
			assertThat(catchThrowable(() -> exists(driver, false, key))).isNotNull();
		}
	}

	@Test
	void restartOfANodeCostsNoCall() throws Exception {
		try (RedisCluster cluster = RedisCluster.start()) {
			var factory = Kind.JEDIS.driver.connect(cluster.configuration(), LONG);
			RedisDriver driver = RedisDriver.of(factory, LONG);
			RedisProcess node = cluster.masters().get(0);
			String key = key(driver, node, true);
			exists(driver, false, key);
			node.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");

			Awaitility.await().atMost(LONG).until(() -> !exists(driver, false, key));

			io.holdfast.lock.testing.RedisDriver.disconnect(factory);
		}
	}

	private static void awaitAnswer(RedisDriver driver, String key) {
		Awaitility.await().atMost(LONG).ignoreExceptions().until(() -> !exists(driver, false, key));
	}

	/**
	 * A key of a node, or of another one.
	 */
	private static String key(RedisDriver driver, RedisProcess node, boolean there) {
		RedisClusterNode found = StreamSupport.stream(driver.clusterNodes().spliterator(), false)
			.filter((each) -> each.getRequiredPort() == node.port())
			.findFirst()
			.orElseThrow();
		int i = 0;
		while (found.getSlotRange().contains(ClusterSlotHashUtil.calculateSlot("key" + i)) != there) {
			i++;
		}
		return "key" + i;
	}

	private static boolean exists(RedisDriver driver, boolean reserved, String key) {
		return Boolean.TRUE.equals(driver.call(reserved,
				(connection) -> connection.keyCommands().exists(key.getBytes(StandardCharsets.UTF_8))));
	}

}
