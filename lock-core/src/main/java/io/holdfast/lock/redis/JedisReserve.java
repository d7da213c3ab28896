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
import java.util.concurrent.CountDownLatch;
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
public final class JedisReserve implements Supplier<RedisConnectionFactory> {

	private static final Log logger = LogFactory.getLog(JedisReserve.class);

	/*
	 * To open them a driver looks for the servers of a cluster, or for the master, and
	 * one that hangs costs it a time-out. No renewal is to wait for that, so a thread of
	 * its own opens them, and who needs one meanwhile takes the application's after a
	 * moment.
	 */

	private static final long PATIENCE_MILLIS = 100;

	private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

	private final JedisConnectionFactory original;

	private final int size;

	private volatile @Nullable JedisConnectionFactory reserve;

	/**
	 * There is one while a thread is at work.
	 */
	private @Nullable CountDownLatch opening;

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
	public static @Nullable JedisReserve of(RedisConnectionFactory original, int size) {
		return (original instanceof JedisConnectionFactory jedis && jedis.getClientConfiguration().isUsePooling())
				? new JedisReserve(jedis, size) : null;
	}

	@Override
	public RedisConnectionFactory get() {
		JedisConnectionFactory opened = this.reserve;
		if (opened == null) {
			awaitOpening();
			opened = this.reserve;
		}
		return (opened != null) ? opened : this.original;
	}

	private void awaitOpening() {
		CountDownLatch current = begin();
		try {
			if (current != null) {
				current.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Has a thread open it.
	 * @return what ends when that is done, or {@code null} if it is not to be tried
	 */
	private synchronized @Nullable CountDownLatch begin() {
		boolean due = !this.closed && System.nanoTime() - this.failedNanos >= RETRY_NANOS;
		if (this.opening == null && this.reserve == null && due) {
			CountDownLatch done = new CountDownLatch(1);
			Thread thread = new Thread(() -> open(done), "holdfast-reserve");
			thread.setDaemon(true);
			thread.start();
			this.opening = done;
		}
		return this.opening;
	}

	private void open(CountDownLatch done) {
		JedisConnectionFactory opened = copy();
		boolean failed = true;
		try {
			opened.afterPropertiesSet();
			opened.start();
			failed = false;
		}
		catch (RuntimeException ex) {
			logger.warn("Connections to renew locks with could not be opened; those of the application are used", ex);
		}
		finally {
			end(opened, failed);
			done.countDown();
		}
	}

	private synchronized void end(JedisConnectionFactory opened, boolean failed) {
		this.opening = null;
		if (failed) {
			this.failedNanos = System.nanoTime();
		}
		if (failed || this.closed) {
			opened.destroy();
		}
		else {
			this.reserve = opened;
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

	public synchronized void close() {
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
