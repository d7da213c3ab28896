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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.internal.single.LockScript;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Clients on a Redis of their own, and what they send, as Redis itself counts it.
 */
@ParameterizedClass
@EnumSource
abstract class CommandContract {

	private static final RedisProcess SERVER = RedisProcess.start();

	/**
	 * What scripts run, and what counting itself takes.
	 */
	private static final List<String> UNCOUNTED = List.of("time", "hmget", "hget", "hset", "hdel", "hlen", "pexpire",
			"info", "config", "config|resetstat", "hello", "client", "client|setinfo", "client|setname", "ping",
			"select");

	@Parameter
	RedisDriver driver;

	final TestThreads threads = new TestThreads();

	private final List<RedisLockClient> clients = new ArrayList<>();

	private final RedisConnectionFactory admin = RedisDriver.JEDIS.connect(SERVER);

	final StringRedisTemplate redis = new StringRedisTemplate(this.admin);

	private RedisConnectionFactory connections;

	@AfterEach
	void close() {
		try {
			this.threads.close();
		}
		finally {
			this.clients.forEach(RedisLockClient::close);
			RedisDriver.disconnect(this.connections);
			this.redis.execute((RedisCallback<Object>) (connection) -> {
				connection.serverCommands().flushAll();
				return null;
			});
			RedisDriver.disconnect(this.admin);
		}
	}

	final RedisLockClient client() {
		return client((builder) -> builder);
	}

	/**
	 * A client that has its subscription, its scripts and the server's time already, and
	 * whose watchdog has nothing to do while a test runs, unless the settings say
	 * otherwise.
	 */
	final RedisLockClient client(UnaryOperator<RedisLockClientBuilder> settings) {
		if (this.connections == null) {
			this.connections = this.driver.connect(SERVER);
		}
		RedisLockClient client = settings
			.apply(RedisLockClient.builder(this.connections)
				.watchdogTimeout(Duration.ofMinutes(10))
				.waiterTimeout(Duration.ofMinutes(5)))
			.build();
		this.clients.add(client);
		LockContract.awaitSubscription(client);
		LeaseLock warmUp = client.getLock("warm-up");
		warmUp.lock();
		warmUp.lock(Duration.ofMinutes(20));
		warmUp.unlock();
		warmUp.unlock();
		// Nobody has sent this yet.
		byte[] script = LockScript.REQUESTS.getScriptAsString().getBytes(StandardCharsets.UTF_8);
		this.redis.execute((connection) -> connection.scriptingCommands().scriptLoad(script), true);
		return client;
	}

	final void startCounting() {
		this.redis.execute((RedisCallback<Object>) (connection) -> {
			connection.serverCommands().resetConfigStats();
			return null;
		});
	}

	/**
	 * What clients have sent, and what scripts have published.
	 */
	final Map<String, Integer> counted() {
		final Map<String, Integer> counted = new TreeMap<>();
		this.redis.execute((connection) -> connection.serverCommands().info("commandstats"), true)
			.forEach((name, value) -> {
				String command = name.toString().substring("cmdstat_".length());
				if (!UNCOUNTED.contains(command)) {
					counted.put(command, Integer.valueOf(value.toString().replaceAll("calls=(\\d+),.*", "$1")));
				}
			});
		return counted;
	}

}
