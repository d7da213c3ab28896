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

package io.holdfast.lock.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
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
		.withPropertyValues("holdfast.lock.quorum.restart-guard=0", "holdfast.lock.quorum.nodes=" + nodes());

	private static String nodes() {
		return SERVERS.stream()
			.map((server) -> "redis://:p+ss%20word@" + server.host() + ":" + server.port() + "/1")
			.collect(Collectors.joining(","));
	}

	@AfterAll
	static void stop() {
		SERVERS.forEach(RedisProcess::close);
	}

	@Test
	void majorityOfServersGrantsLocks() {
		this.runner.run((context) -> assertLocksWithoutOneServer(context.getBean(LockClient.class)));
	}

	@Test
	void majorityOfServersGrantsLocksOnJedis() {
		this.runner.withClassLoader(new FilteredClassLoader("io.lettuce"))
			.run((context) -> assertLocksWithoutOneServer(context.getBean(LockClient.class)));
	}

	private static void assertLocksWithoutOneServer(LockClient client) {
		LeaseLock lock = client.getLock("a");
		SERVERS.get(0).kill();
		try {
			assertThat(lock.tryLock()).isTrue();
			assertThat(client.directory().find("a")).isPresent();
			lock.unlock();
		}
		finally {
			SERVERS.get(0).startAgain();
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
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (invalid) -> {
					assertThat(invalid.getName()).isEqualTo("holdfast.lock.quorum.nodes");
					assertThat(invalid.getValue()).isEqualTo("b:6379");
					assertThat(invalid.getReason())
						.isEqualTo("each must be another server, and this one is named twice");
				}));
	}

	@ParameterizedTest
	@ValueSource(strings = { "localhost:6379", "http://a:1", "redis://", "redis://user:secret@a:b", "redis://a/x" })
	void nodeThatIsNoAddressStopsApplicationAndKeepsItsPasswordSecret(String node) {
		this.runner.withPropertyValues("holdfast.lock.quorum.nodes=redis://a,redis://b," + node)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageNotContaining("secret"));
	}

}
