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

import java.util.Map;

import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.util.Pool;

import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisClientConfigurationBuilder;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * What exists since Spring Data Redis 4.1 and Jedis 7 only: factories whose connections
 * are a {@code UnifiedJedis}, which borrows a connection from its pool for each command.
 * {@link JedisPools} touches this class only where they are.
 */
final class UnifiedJedisLine {

	private UnifiedJedisLine() {
	}

	/**
	 * Takes over how an application customizes such clients.
	 */
	static void customize(JedisClientConfigurationBuilder copy, JedisClientConfiguration original) {
		original.getClientCustomizer().ifPresent(copy::customizeClient);
	}

	/**
	 * Decides of which kind connections are: such that are one connection each, so that
	 * their time-out can be set for a call, unless the application has customized the
	 * others.
	 */
	static void choose(JedisConnectionFactory copy) {
		copy.setUseUnifiedJedis(copy.getClientConfiguration().getClientCustomizer().isPresent());
	}

	/**
	 * Has each connection be one connection.
	 */
	static void avoid(JedisConnectionFactory factory) {
		factory.setUseUnifiedJedis(false);
	}

	/**
	 * The pools of a cluster by node, or that of one server.
	 * @param client what a connection of a factory leads to
	 */
	static Map<String, ? extends Pool<Connection>> pools(Object client) {
		if (client instanceof RedisClusterClient cluster) {
			return cluster.getClusterNodes();
		}
		if (client instanceof RedisClient single) {
			return Map.of("", single.getPool());
		}
		return Map.of();
	}

}
