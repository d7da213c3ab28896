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

import java.time.Duration;

import io.holdfast.lock.testing.RedisProcess;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * The kinds of connection factories that applications have, with settings that hang for
 * as long as drivers do: pools that wait without end, and time-outs of a minute.
 */
enum Factories {

	JEDIS_UNIFIED {

		@Override
		RedisConnectionFactory make(RedisStandaloneConfiguration server) {
			return jedis(server, true, false);
		}

	},

	JEDIS_LEGACY {

		@Override
		RedisConnectionFactory make(RedisStandaloneConfiguration server) {
			return jedis(server, false, false);
		}

	},

	JEDIS_CUSTOMIZED {

		@Override
		RedisConnectionFactory make(RedisStandaloneConfiguration server) {
			return jedis(server, true, true);
		}

	},

	LETTUCE {

		@Override
		RedisConnectionFactory make(RedisStandaloneConfiguration server) {
			return lettuce(server, true);
		}

	},

	LETTUCE_UNSHARED {

		@Override
		RedisConnectionFactory make(RedisStandaloneConfiguration server) {
			return lettuce(server, false);
		}

	};

	static final Duration PATIENCE = Duration.ofMinutes(1);

	/** Since Spring Data Redis 4.1. Before, all of Jedis are of the older kind. */
	private static final boolean UNIFIED_EXISTS = ClassUtils.hasMethod(JedisConnectionFactory.class,
			"setUseUnifiedJedis", boolean.class);

	abstract RedisConnectionFactory make(RedisStandaloneConfiguration server);

	RedisConnectionFactory make(RedisProcess server) {
		return make(new RedisStandaloneConfiguration(server.host(), server.port()));
	}

	static void disconnect(RedisConnectionFactory factory) {
		io.holdfast.lock.testing.RedisDriver.disconnect(factory);
	}

	boolean isJedis() {
		return name().startsWith("JEDIS");
	}

	private static JedisConnectionFactory jedis(RedisStandaloneConfiguration server, boolean unified,
			boolean customized) {
		GenericObjectPoolConfig<Jedis> pool = new GenericObjectPoolConfig<>();
		JedisClientConfiguration.JedisClientConfigurationBuilder client = JedisClientConfiguration.builder()
			.connectTimeout(PATIENCE)
			.readTimeout(PATIENCE);
		if (customized && UNIFIED_EXISTS) {
			client.customizeClient((builder) -> {
			});
		}
		JedisConnectionFactory factory = new JedisConnectionFactory(server,
				client.usePooling().poolConfig(pool).build());
		if (UNIFIED_EXISTS) {
			factory.setUseUnifiedJedis(unified);
		}
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static LettuceConnectionFactory lettuce(RedisStandaloneConfiguration server, boolean shared) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(server,
				LettuceClientConfiguration.builder().commandTimeout(PATIENCE).shutdownTimeout(Duration.ZERO).build());
		factory.setShareNativeConnection(shared);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
