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

package io.holdfast.lock.internal.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.quorum.RedisQuorum;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Clients of a majority of five servers, which heal after each test.
 */
@ParameterizedClass
@EnumSource
abstract class QuorumFixture {

	static final Duration TIMEOUT = Duration.ofSeconds(1);

	static final Duration WATCHDOG = Duration.ofSeconds(3);

	static final List<RedisProcess> SERVERS = IntStream.range(0, 5).mapToObj((unused) -> RedisProcess.start()).toList();

	@Parameter
	RedisDriver driver;

	final String prefix = "quorum-" + UUID.randomUUID() + ":";

	final List<RedisConnectionFactory> connections = new ArrayList<>();

	final List<RedisLockClient> clients = new ArrayList<>();

	final TestThreads threads = new TestThreads();

	LeaseLock here;

	LeaseLock elsewhere;

	@BeforeEach
	void connect() {
		this.here = client((builder) -> builder).getLock("a name");
		this.elsewhere = client((builder) -> builder).getLock("a name");
	}

	@AfterEach
	void disconnect() {
		try {
			this.threads.close();
		}
		finally {
			this.clients.forEach(RedisLockClient::close);
			this.connections.forEach(RedisDriver::disconnect);
			SERVERS.forEach(QuorumLockTests::heal);
		}
	}

	static void heal(RedisProcess server) {
		if (server.isAlive()) {
			server.resume();
		}
		else {
			server.startAgain();
		}
	}

	RedisLockClient client(UnaryOperator<RedisLockClientBuilder> settings) {
		return client(connect(SERVERS), settings);
	}

	List<RedisConnectionFactory> connect(List<RedisProcess> servers) {
		return servers.stream().map((server) -> this.driver.connect(server.host(), server.port(), TIMEOUT)).toList();
	}

	List<RedisConnectionFactory> connectThrough(List<FaultProxy> links) {
		return links.stream().map((link) -> this.driver.connect(link.host(), link.port(), TIMEOUT)).toList();
	}

	RedisLockClient client(Duration guard) {
		return client(connect(SERVERS), guard, (builder) -> builder);
	}

	RedisLockClient client(List<RedisConnectionFactory> own, UnaryOperator<RedisLockClientBuilder> settings) {
		return client(own, Duration.ZERO, settings);
	}

	RedisLockClient client(List<RedisConnectionFactory> own, Duration guard,
			UnaryOperator<RedisLockClientBuilder> settings) {
		this.connections.addAll(own);
		RedisLockClientBuilder builder = RedisQuorum.of(own)
			.timeout(TIMEOUT)
			.restartGuard(guard)
			.clientBuilder()
			.keyPrefix(this.prefix)
			.watchdogTimeout(WATCHDOG);
		RedisLockClient client = settings.apply(builder).build();
		this.clients.add(client);
		return client;
	}

	long servers(String name) {
		return SERVERS.stream().filter(RedisProcess::isAlive).filter((server) -> isHeldOn(server, name)).count();
	}

	boolean isHeldOn(RedisProcess server, String name) {
		return ask(server, (redis) -> redis.opsForHash().hasKey(this.prefix + "lock:" + name, "until"));
	}

	/**
	 * Whether a client holds a lock on a server now.
	 */
	boolean isHeldOn(RedisProcess server, String name, RedisLockClient client) {
		Map<String, String> lock = hash(server, name);
		return ("xr " + client.id()).equals(lock.get("owner")) && lock.containsKey("until")
				&& Long.parseLong(lock.get("until").substring(2)) > System.currentTimeMillis();
	}

	Map<String, String> hash(RedisProcess server, String name) {
		return ask(server, (redis) -> redis.<String, String>opsForHash().entries(this.prefix + "lock:" + name));
	}

	static <T> T ask(RedisProcess server, Function<StringRedisTemplate, T> question) {
		RedisConnectionFactory factory = RedisDriver.JEDIS.connect(server);
		try {
			return question.apply(new StringRedisTemplate(factory));
		}
		finally {
			RedisDriver.disconnect(factory);
		}
	}

	static void await(Runnable assertion) {
		Awaitility.await().pollInSameThread().atMost(TestThreads.LONG).untilAsserted(assertion::run);
	}

	void setToken(RedisProcess server, String name, long token) {
		ask(server, (redis) -> {
			redis.opsForHash()
				.putAll(this.prefix + "lock:" + name, Map.of("hold", "2:before", "token", Long.toString(token)));
			return true;
		});
	}

}
