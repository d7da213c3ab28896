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

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * A second Jedis connection factory with the settings of the application's, for one
 * subscription and thrown away with it. A Jedis connection that had a subscription may go
 * back into its pool with an answer under way, if it breaks or ends at the wrong moment;
 * the next to borrow it takes that for its own. In a pool that nobody else uses this
 * harms nobody.
 */
final class JedisTwin {

	private final JedisConnectionFactory factory;

	private JedisTwin(JedisConnectionFactory factory) {
		this.factory = factory;
	}

	/**
	 * Makes the twin of a factory.
	 * @return the twin, or {@code null} if the factory is not one of Jedis
	 */
	static @Nullable JedisTwin of(RedisConnectionFactory original) {
		if (!(original instanceof JedisConnectionFactory jedis)) {
			return null;
		}
		JedisConnectionFactory factory = copy(jedis);
		factory.afterPropertiesSet();
		factory.start();
		return new JedisTwin(factory);
	}

	private static JedisConnectionFactory copy(JedisConnectionFactory jedis) {
		JedisClientConfiguration client = jedis.getClientConfiguration();
		RedisClusterConfiguration cluster = jedis.getClusterConfiguration();
		if (cluster != null) {
			return new JedisConnectionFactory(cluster, client);
		}
		RedisSentinelConfiguration sentinel = jedis.getSentinelConfiguration();
		if (sentinel != null) {
			return new JedisConnectionFactory(sentinel, client);
		}
		return new JedisConnectionFactory(Objects.requireNonNull(jedis.getStandaloneConfiguration()), client);
	}

	RedisConnection connection() {
		return this.factory.getConnection();
	}

	void destroy() {
		this.factory.destroy();
	}

}
