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
import java.util.EnumSet;
import java.util.Set;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
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
		public RedisConnectionFactory connect(RedisConfiguration configuration, Duration timeout,
				RedisCertificate certificate) {
			GenericObjectPoolConfig<Jedis> pool = new GenericObjectPoolConfig<>();
			pool.setMaxTotal(32);
			pool.setMaxIdle(32);
			JedisClientConfiguration.JedisClientConfigurationBuilder client = JedisClientConfiguration.builder()
				.connectTimeout(timeout)
				.readTimeout(timeout);
			if (certificate != null) {
				client.useSsl().sslSocketFactory(certificate.sockets());
			}
			JedisConnectionFactory factory = make(configuration, client.usePooling().poolConfig(pool).build());
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

		private JedisConnectionFactory make(RedisConfiguration configuration, JedisClientConfiguration client) {
			if (configuration instanceof RedisClusterConfiguration cluster) {
				return new JedisConnectionFactory(cluster, client);
			}
			if (configuration instanceof RedisSentinelConfiguration sentinel) {
				return new JedisConnectionFactory(sentinel, client);
			}
			return new JedisConnectionFactory((RedisStandaloneConfiguration) configuration, client);
		}

	},

	/**
	 * Lettuce with its one shared connection, as Spring Boot sets it up.
	 */
	LETTUCE {

		/**
		 * For all, and never shut down: Netty's PromiseCombiner, which Lettuce uses for
		 * that, is not thread-safe, and once in a while a shutdown never ends.
		 */
		private static final ClientResources RESOURCES = ClientResources.create();

		@Override
		public RedisConnectionFactory connect(RedisConfiguration configuration, Duration timeout,
				RedisCertificate certificate) {
			LettuceClientConfiguration.LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder()
				.clientResources(RESOURCES)
				.commandTimeout(timeout)
				.shutdownTimeout(Duration.ZERO);
			if (certificate != null) {
				client.useSsl();
				client.clientOptions(ClientOptions.builder()
					.timeoutOptions(TimeoutOptions.enabled())
					.sslOptions(SslOptions.builder()
						.jdkSslProvider()
						.truststore(certificate.storeFile().toFile(), certificate.storePassword())
						.build())
					.build());
			}
			LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration, client.build());
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

	};

	private static final Set<RedisDriver> cold = EnumSet.allOf(RedisDriver.class);

	/**
	 * Connects once with each driver: the first connection of a JVM loads and initializes
	 * a driver's classes, which takes longer on a busy machine than locks wait for a
	 * connection.
	 */
	static synchronized void warmUp(RedisProcess server) {
		cold.removeIf((driver) -> driver.connects(server));
	}

	private boolean connects(RedisProcess server) {
		RedisConnectionFactory factory = connect(server.host(), server.port(), Duration.ofSeconds(20));
		try {
			try (RedisConnection connection = factory.getConnection()) {
				connection.ping();
			}
			return true;
		}
		catch (DataAccessException ex) {
			// It wants a password or TLS; the next one will do.
			return false;
		}
		finally {
			disconnect(factory);
		}
	}

	/**
	 * Makes a connection factory with a time-out of 2 s. Only a cluster must be there
	 * already.
	 */
	public RedisConnectionFactory connect(RedisTopology redis) {
		return connect(redis.configuration(), TestThreads.LONG);
	}

	/**
	 * Makes a connection factory. Does not connect yet.
	 */
	public RedisConnectionFactory connect(String host, int port, Duration timeout) {
		return connect(new RedisStandaloneConfiguration(host, port), timeout);
	}

	/**
	 * Makes a connection factory for any kind of Redis.
	 */
	public RedisConnectionFactory connect(RedisConfiguration configuration, Duration timeout) {
		return connect(configuration, timeout, null);
	}

	/**
	 * Makes a connection factory that speaks TLS with servers that have a certificate,
	 * unless that is {@code null}.
	 */
	public abstract RedisConnectionFactory connect(RedisConfiguration configuration, Duration timeout,
			RedisCertificate certificate);

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
