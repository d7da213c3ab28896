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

package io.holdfast.lock.benchmarks.libraries;

import java.time.Duration;
import java.util.Locale;

import io.holdfast.lock.benchmarks.libraries.Library.RedisAddress;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * How libraries on Spring Data Redis connect.
 */
public enum SpringDriver {

	/**
	 * Jedis with a connection for each thread.
	 */
	JEDIS {

		@Override
		public RedisConnectionFactory connect(RedisAddress redis, int threads) {
			GenericObjectPoolConfig<Jedis> pool = new GenericObjectPoolConfig<>();
			pool.setMaxTotal(Math.max(threads, GenericObjectPoolConfig.DEFAULT_MAX_TOTAL));
			pool.setMaxIdle(pool.getMaxTotal());
			JedisClientConfiguration client = JedisClientConfiguration.builder()
				.readTimeout(TIMEOUT)
				.usePooling()
				.poolConfig(pool)
				.build();
			JedisConnectionFactory factory = new JedisConnectionFactory(
					new RedisStandaloneConfiguration(redis.host(), redis.port()), client);
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

	},

	/**
	 * Lettuce with its one shared connection.
	 */
	LETTUCE {

		@Override
		public RedisConnectionFactory connect(RedisAddress redis, int threads) {
			LettuceConnectionFactory factory = new LettuceConnectionFactory(
					new RedisStandaloneConfiguration(redis.host(), redis.port()));
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

	};

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	/**
	 * Connects to Redis.
	 * @param redis where that is
	 * @param threads how many threads will use the connections
	 * @return the factory, started
	 */
	public abstract RedisConnectionFactory connect(RedisAddress redis, int threads);

	/**
	 * Returns how names of libraries call it.
	 * @return one word
	 */
	public String word() {
		return name().toLowerCase(Locale.ROOT);
	}

}
