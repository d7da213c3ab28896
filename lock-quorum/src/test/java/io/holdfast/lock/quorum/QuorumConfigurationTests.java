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

package io.holdfast.lock.quorum;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Locks on several servers, by properties alone. */
class QuorumConfigurationTests {

	private static final List<RedisProcess> SERVERS = Stream
		.generate(() -> RedisProcess.start("--requirepass", "p+ss word"))
		.limit(3)
		.toList();

	private final ApplicationContextRunner runner = LockRunner.create()
		.withConfiguration(AutoConfigurations.of(LockQuorumAutoConfiguration.class))
		.withPropertyValues("holdfast.lock.quorum.restart-guard=0", "holdfast.lock.quorum.timeout=10s",
				"holdfast.lock.quorum.nodes=" + nodes());

	private static String nodes() {
		return SERVERS.stream()
			.map((server) -> "redis://:p+ss%20word@" + server.host() + ":" + server.port() + "/1")
			.collect(Collectors.joining(","));
	}

	@AfterAll
	static void stop() {
		SERVERS.forEach(RedisProcess::close);
	}

	@ParameterizedTest
	@ValueSource(strings = { "no.such.package", "io.lettuce" })
	void majorityOfServersGrantsLocks(String hidden) {
		this.runner.withClassLoader(new FilteredClassLoader(hidden)).run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			LeaseLock lock = client.getLock("a");
			SERVERS.get(0).kill();
			try {
				assertThat(lock.tryLock(TestThreads.LONG)).isTrue();
				assertThat(client.directory().find("a")).isPresent();
				lock.unlock();
			}
			finally {
				SERVERS.get(0).startAgain();
			}
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void connectionsHaveTheNameOfTheApplications(String driver) {
		String name = "shop-" + driver;
		this.runner
			.withPropertyValues("spring.data.redis.client-type=" + driver, "spring.data.redis.client-name=" + name)
			.run((context) -> {
				context.getBean(LockClient.class).getLock("a").lock();

				Awaitility.await()
					.atMost(TestThreads.LONG)
					.untilAsserted(() -> assertThat(SERVERS)
						.allSatisfy((server) -> assertThat(clients(server)).contains("name=" + name)));
			});
	}

	private static String clients(RedisProcess server) {
		try (Jedis jedis = new Jedis(server.host(), server.port())) {
			jedis.auth("p+ss word");
			return jedis.clientList();
		}
	}

	@Test
	void serversOfTheQuorumAreNotTheApplicationsRedis() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(RedisConnectionFactory.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis://user:secret@B:6379", "rediss://b/1" })
	void serverThatIsNamedTwiceStopsApplication(String node) {
		this.runner.withPropertyValues("holdfast.lock.quorum.nodes=redis://a,redis://b," + node)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessageStartingWith("holdfast.lock.quorum.nodes names b:6379 twice."));
	}

	@ParameterizedTest
	@ValueSource(strings = { "localhost:6379", "user:secret@host:6379", "http://a:secret@a:1", "redis://",
			"redis://:s ecret@a", "redis://:%zsecret@a", "redis:/user:secret@a:1", "redis:user:secret@a:1",
			"redis://user:secret@a:b", "redis://:secr#secret@a", "redis://:secr/secret@a", "redis://:secret",
			"redis://:secret@a:0", "redis://:secret@a:70000", "redis://:secret@a/x", "redis://:secret@a/99999999999" })
	void nodeThatIsNoAddressStopsApplicationAndKeepsItsPasswordSecret(String node) {
		this.runner.withPropertyValues("holdfast.lock.quorum.nodes=redis://a,redis://b," + node)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessageStartingWith(
						"holdfast.lock.quorum.nodes[2] is not the address of a Redis server. Write redis://")
				.satisfies((failure) -> assertThat(allOf(context.getStartupFailure())).doesNotContain("secret")));
	}

	@Test
	void propertiesDoNotTellPasswords() {
		this.runner.run((context) -> {
			assertThat(context.getBean(LockQuorumProperties.class).toString()).doesNotContain("word")
				.contains("Quorum[nodes=3, ");
			assertThat(context.getBean("holdfast.lock-io.holdfast.lock.autoconfigure.LockProperties").toString())
				.doesNotContain("word");
		});
	}

	private static String allOf(Throwable failure) {
		StringWriter text = new StringWriter();
		failure.printStackTrace(new PrintWriter(text, true));
		return text.toString();
	}

}
