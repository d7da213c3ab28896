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

import java.util.Collection;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Which Redis messages are about: hosts and ports as they are configured.
 */
final class RedisAddress {

	private RedisAddress() {
	}

	/**
	 * Returns where a server is, or which factory knows.
	 */
	static String of(RedisConnectionFactory factory) {
		if (factory instanceof LettuceConnectionFactory lettuce) {
			return (lettuce.getSocketConfiguration() != null) ? lettuce.getSocketConfiguration().getSocket()
					: of(lettuce.getClusterConfiguration(), lettuce.getSentinelConfiguration(), lettuce.getHostName(),
							lettuce.getPort());
		}
		return (factory instanceof JedisConnectionFactory jedis) ? of(jedis.getClusterConfiguration(),
				jedis.getSentinelConfiguration(), jedis.getHostName(), jedis.getPort()) : factory.getClass().getName();
	}

	private static String of(@Nullable RedisClusterConfiguration cluster, @Nullable RedisSentinelConfiguration sentinel,
			String host, int port) {
		return (cluster != null) ? "cluster of " + join(cluster.getClusterNodes())
				: (sentinel != null) ? "master of the Sentinels " + join(sentinel.getSentinels()) : host + ":" + port;
	}

	private static String join(Collection<RedisNode> nodes) {
		return nodes.stream().map(RedisNode::asString).sorted().collect(Collectors.joining(", "));
	}

}
