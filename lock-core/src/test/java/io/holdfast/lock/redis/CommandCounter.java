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

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Counts what clients send, by Redis' own statistics.
 */
final class CommandCounter implements AutoCloseable {

	/**
	 * What scripts run, and what counting itself takes.
	 */
	private static final List<String> UNCOUNTED = List.of("time", "hmget", "hget", "hset", "hdel", "hlen", "pexpire",
			"info", "config", "config|resetstat", "hello", "client", "client|setinfo", "client|setname", "ping",
			"select");

	private final RedisConnectionFactory connections;

	private final StringRedisTemplate redis;

	CommandCounter(RedisProcess server) {
		this.connections = RedisDriver.JEDIS.connect(server);
		this.redis = new StringRedisTemplate(this.connections);
	}

	StringRedisTemplate redis() {
		return this.redis;
	}

	void startCounting() {
		this.redis.execute((RedisCallback<Object>) (connection) -> {
			connection.serverCommands().resetConfigStats();
			return null;
		});
	}

	/**
	 * What clients have sent, and what scripts have published.
	 */
	Map<String, Integer> counted() {
		Map<String, Integer> counted = new TreeMap<>();
		this.redis.execute((connection) -> connection.serverCommands().info("commandstats"), true)
			.forEach((name, value) -> {
				String command = name.toString().substring("cmdstat_".length());
				if (!UNCOUNTED.contains(command)) {
					counted.put(command, Integer.valueOf(value.toString().replaceAll("calls=(\\d+),.*", "$1")));
				}
			});
		return counted;
	}

	/**
	 * Leaves nothing in Redis.
	 */
	@Override
	public void close() {
		this.redis.execute((RedisCallback<Object>) (connection) -> {
			connection.serverCommands().flushAll();
			return null;
		});
		RedisDriver.disconnect(this.connections);
	}

}
