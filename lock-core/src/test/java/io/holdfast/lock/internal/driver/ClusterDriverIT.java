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
import java.util.stream.Stream;

import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.single.ScriptRunner;
import io.holdfast.lock.internal.single.ScriptRunner.Call;
import io.holdfast.lock.testing.RedisCluster;
import io.holdfast.lock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Connections to a cluster while a node of it hangs.
 */
@Tag("long")
class ClusterDriverIT {

	private static final Duration TIMEOUT = Duration.ofMillis(500);

	private static final Duration LONG = Duration.ofSeconds(20);

	@Test
	void nodeThatHangsDoesNotKeepRenewalsWaitingForConnectionsOfTheirOwn() {
		try (RedisCluster cluster = RedisCluster.start()) {
			RedisProcess seed = cluster.masters().get(0);
			RedisClusterConfiguration configuration = new RedisClusterConfiguration();
			configuration.clusterNode(seed.host(), seed.port());
			JedisConnectionFactory factory = (JedisConnectionFactory) io.holdfast.lock.testing.RedisDriver.JEDIS
				.connect(configuration, TIMEOUT);
			RedisDriver driver = RedisDriver.of(factory);
			String key = keyElsewhere(driver.requests(), seed);
			assertThat(exists(driver.requests(), key)).isFalse();
			seed.pause();
			try {
				long start = System.nanoTime();
				assertThat(exists(driver.reserved(), key)).isFalse();
				assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TIMEOUT);
			}
			finally {
				seed.resume();
				driver.close();
				Factories.disconnect(factory);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void callToANodeThatHangsEnds(io.holdfast.lock.testing.RedisDriver kind) {
		try (RedisCluster cluster = RedisCluster.start()) {
			var factory = kind.connect(cluster.configuration(), Duration.ofMinutes(1));
			RedisDriver driver = RedisDriver.of(factory);
			RedisProcess hangs = cluster.masters().get(0);
			String there = keyOn(driver.requests(), hangs);
			exists(driver.requests(), there);
			hangs.pause();
			try {
				long start = System.nanoTime();
				Throwable thrown = catchThrowable(() -> exists(driver.requests(), there));
				Duration took = Duration.ofNanos(System.nanoTime() - start);
				System.out.printf("%s: a call to a node that hangs took %s: %s%n", kind, took, thrown);
				assertThat(took).isLessThan(Duration.ofSeconds(5));
			}
			finally {
				hangs.resume();
				driver.close();
				Factories.disconnect(factory);
			}
		}
	}

	@Test
	void restartOfANodeCostsNoCall() throws Exception {
		try (RedisCluster cluster = RedisCluster.start()) {
			var factory = io.holdfast.lock.testing.RedisDriver.JEDIS.connect(cluster.configuration(), TIMEOUT);
			RedisConnections connections = RedisDriver.of(factory).requests();
			RedisProcess node = cluster.masters().get(0);
			String key = keyOn(connections, node);
			exists(connections, key);
			node.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");

			Awaitility.await().atMost(LONG).until(() -> !exists(connections, key));

			Factories.disconnect(factory);
		}
	}

	/**
	 * With Lettuce all but the first are sent without waiting for answers.
	 */
	@ParameterizedTest
	@EnumSource
	void eachOfSeveralRunsOfAScriptHasItsOwnOutcome(io.holdfast.lock.testing.RedisDriver kind) {
		try (RedisCluster cluster = RedisCluster.start()) {
			var factory = kind.connect(cluster.configuration(), LONG);
			RedisDriver driver = RedisDriver.of(factory);
			ScriptRunner scripts = new ScriptRunner(driver.reserved(), new LockKeys("a:"));
			RedisScript<List<?>> script = script(
					"if ARGV[1] == 'wrong' then return redis.error_reply('WRONGTYPE a') end "
							+ "return {KEYS[1], 7, {ARGV[1]}}");
			List<Call<List<?>, Object>> calls = Stream.of("one", "two", "wrong", "four")
				.map((each) -> new Call<List<?>, Object>(script, List.of("a:lock:" + each), (answer) -> answer,
						List.of(each)))
				.toList();

			List<Outcome<Object>> outcomes = scripts.runEach(calls);

			assertThat(outcomes).as("%s", outcomes)
				.extracting(Outcome::value)
				.containsExactly(List.of("a:lock:one", 7L, List.of("one")), List.of("a:lock:two", 7L, List.of("two")),
						null, List.of("a:lock:four", 7L, List.of("four")));
			assertThat(outcomes.get(2).failure()).hasMessageContaining("not a lock");
			driver.close();
			Factories.disconnect(factory);
		}
	}

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private static RedisScript<List<?>> script(String text) {
		return (RedisScript) RedisScript.of(text, List.class);
	}

	private static String keyOn(RedisConnections connections, RedisProcess node) {
		return key(connections, node, true);
	}

	private static String keyElsewhere(RedisConnections connections, RedisProcess node) {
		return key(connections, node, false);
	}

	private static String key(RedisConnections connections, RedisProcess node, boolean there) {
		RedisClusterNode found = connections.clusterNodes()
			.stream()
			.filter((each) -> each.getRequiredPort() == node.port())
			.findFirst()
			.orElseThrow();
		int i = 0;
		while (found.getSlotRange().contains(ClusterSlotHashUtil.calculateSlot("key" + i)) != there) {
			i++;
		}
		return "key" + i;
	}

	private static boolean exists(RedisConnections connections, String key) {
		return Boolean.TRUE.equals(connections.call(LONG,
				(connection) -> connection.keyCommands().exists(key.getBytes(StandardCharsets.UTF_8))));
	}

}
