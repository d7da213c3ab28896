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

package io.holdfast.lock.testing;

import java.time.Duration;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Redis client libraries that everything must work with.
 */
public enum RedisDriver {

	/**
	 * Jedis with a pool, as Spring Boot sets it up.
	 */
	JEDIS {

		@Override
		public RedisConnectionFactory connect(String host, int port, Duration timeout) {
			GenericObjectPoolConfig<Jedis> pool = new GenericObjectPoolConfig<>();
			pool.setMaxTotal(32);
			pool.setMaxIdle(32);
			JedisClientConfiguration client = JedisClientConfiguration.builder()
				.connectTimeout(timeout)
				.readTimeout(timeout)
				.usePooling()
				.poolConfig(pool)
				.build();
			JedisConnectionFactory factory = new JedisConnectionFactory(new RedisStandaloneConfiguration(host, port),
					client);
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

	},

	/**
	 * Lettuce with its one shared connection, as Spring Boot sets it up.
	 */
	LETTUCE {

		@Override
		public RedisConnectionFactory connect(String host, int port, Duration timeout) {
			LettuceClientConfiguration client = LettuceClientConfiguration.builder()
				.commandTimeout(timeout)
				.shutdownTimeout(Duration.ZERO)
				.build();
			LettuceConnectionFactory factory = new LettuceConnectionFactory(
					new RedisStandaloneConfiguration(host, port), client);
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

	};

	/**
	 * Makes a connection factory with a time-out of 2 s. Does not connect yet.
	 */
	public RedisConnectionFactory connect(RedisProcess redis) {
		return connect(redis.host(), redis.port(), Duration.ofSeconds(2));
	}

	/**
	 * Makes a connection factory. Does not connect yet.
	 */
	public abstract RedisConnectionFactory connect(String host, int port, Duration timeout);

	/**
	 * Ends a factory that {@link #connect} made.
	 */
	public static void disconnect(RedisConnectionFactory factory) {
		try {
			((DisposableBean) factory).destroy();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
