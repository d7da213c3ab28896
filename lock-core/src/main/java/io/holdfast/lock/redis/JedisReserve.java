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

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfigBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Connections for what must not wait until the application gives one back: a few to each
 * server, beside the application's pool, and opened when first needed. Where they cannot
 * be opened the application's are used, so that they never make anything worse.
 */
final class JedisReserve implements Supplier<RedisConnectionFactory> {

	private static final Log logger = LogFactory.getLog(JedisReserve.class);

	private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

	private final JedisConnectionFactory original;

	private final int size;

	private volatile @Nullable JedisConnectionFactory reserve;

	private long failedNanos = System.nanoTime() - RETRY_NANOS;

	private boolean closed;

	private JedisReserve(JedisConnectionFactory original, int size) {
		this.original = original;
		this.size = size;
	}

	/**
	 * Makes the reserve of a factory.
	 * @param size how many connections to each server there are at most
	 * @return the reserve, or {@code null} if the factory has no pool of Jedis
	 */
	static @Nullable JedisReserve of(RedisConnectionFactory original, int size) {
		return (original instanceof JedisConnectionFactory jedis && jedis.getClientConfiguration().isUsePooling())
				? new JedisReserve(jedis, size) : null;
	}

	@Override
	public RedisConnectionFactory get() {
		JedisConnectionFactory opened = this.reserve;
		return (opened != null) ? opened : open();
	}

	private synchronized RedisConnectionFactory open() {
		JedisConnectionFactory opened = this.reserve;
		if (opened != null) {
			return opened;
		}
		if (this.closed || System.nanoTime() - this.failedNanos < RETRY_NANOS) {
			return this.original;
		}
		opened = copy();
		try {
			opened.afterPropertiesSet();
			opened.start();
			this.reserve = opened;
			return opened;
		}
		catch (RuntimeException ex) {
			opened.destroy();
			this.failedNanos = System.nanoTime();
			logger.warn("Connections to renew locks with could not be opened; those of the application are used", ex);
			return this.original;
		}
	}

	private JedisConnectionFactory copy() {
		JedisClientConfiguration client = new OwnPool(this.original.getClientConfiguration(), this.size);
		RedisClusterConfiguration cluster = this.original.getClusterConfiguration();
		RedisSentinelConfiguration sentinel = this.original.getSentinelConfiguration();
		JedisConnectionFactory copy = (cluster != null) ? new JedisConnectionFactory(cluster, client)
				: (sentinel != null) ? new JedisConnectionFactory(sentinel, client) : new JedisConnectionFactory(
						Objects.requireNonNull(this.original.getStandaloneConfiguration()), client);
		copy.setUseUnifiedJedis(this.original.isUseUnifiedJedis());
		return copy;
	}

	synchronized void close() {
		this.closed = true;
		JedisConnectionFactory opened = this.reserve;
		this.reserve = null;
		if (opened != null) {
			opened.destroy();
		}
	}

	/**
	 * The application's settings with a small pool that keeps nothing idle for long.
	 *
	 * @param original the application's
	 * @param size how many connections to each server there are at most
	 */
	private record OwnPool(JedisClientConfiguration original, int size) implements JedisClientConfiguration {

		@Override
		public Optional<GenericObjectPoolConfig<?>> getPoolConfig() {
			GenericObjectPoolConfig<?> pool = this.original.getPoolConfig()
				.<GenericObjectPoolConfig<?>>map(GenericObjectPoolConfig::clone)
				.orElseGet(GenericObjectPoolConfig::new);
			pool.setMaxTotal(this.size);
			pool.setMaxIdle(this.size);
			pool.setMinIdle(0);
			return Optional.of(pool);
		}

		@Override
		public boolean isUsePooling() {
			return true;
		}

		@Override
		public Optional<JedisClientConfigBuilderCustomizer> getClientConfigCustomizer() {
			return this.original.getClientConfigCustomizer();
		}

		@Override
		public Optional<JedisClientBuilderCustomizer> getClientCustomizer() {
			return this.original.getClientCustomizer();
		}

		@Override
		public boolean isUseSsl() {
			return this.original.isUseSsl();
		}

		@Override
		public Optional<SSLSocketFactory> getSslSocketFactory() {
			return this.original.getSslSocketFactory();
		}

		@Override
		public Optional<SSLParameters> getSslParameters() {
			return this.original.getSslParameters();
		}

		@Override
		public Optional<HostnameVerifier> getHostnameVerifier() {
			return this.original.getHostnameVerifier();
		}

		@Override
		public Optional<String> getClientName() {
			return this.original.getClientName();
		}

		@Override
		public Duration getConnectTimeout() {
			return this.original.getConnectTimeout();
		}

		@Override
		public Duration getReadTimeout() {
			return this.original.getReadTimeout();
		}

	}

}
