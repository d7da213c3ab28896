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

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

import org.apache.commons.pool2.PooledObjectFactory;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisClientConfigurationBuilder;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisSslClientConfigurationBuilder;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A Jedis factory beside the application's, with its settings but for the pool and for
 * shorter time-outs. Its pools can be emptied.
 */
final class JedisPools extends JedisConnectionFactory {

	private static final boolean UNIFIED = ClassUtils.hasMethod(JedisConnectionFactory.class, "setUseUnifiedJedis",
			boolean.class);

	/**
	 * How many nodes a call in a cluster may try: one, the one to which that redirects,
	 * and one to which that one redirects while a slot moves.
	 */
	private static final int MOST_ATTEMPTS = 3;

	/**
	 * The pool, unless this is a cluster, or of the kind that hides it. Set at the start.
	 */
	private @Nullable Pool<Jedis> pool;

	private JedisPools(RedisStandaloneConfiguration server, JedisClientConfiguration client) {
		super(server, client);
	}

	private JedisPools(RedisSentinelConfiguration sentinel, JedisClientConfiguration client) {
		super(sentinel, client);
	}

	private JedisPools(RedisClusterConfiguration cluster, JedisClientConfiguration client) {
		super(cluster, client);
	}

	/**
	 * Opens pools to the same servers, which asks the servers of a cluster, or the
	 * sentinels.
	 * @param longest how long to wait for anything
	 * @param size how many connections to each server there are at most
	 */
	static JedisPools copyOf(JedisConnectionFactory original, Duration longest, int size) {
		JedisClientConfiguration client = client(original, longest, size);
		RedisClusterConfiguration cluster = original.getClusterConfiguration();
		RedisSentinelConfiguration sentinel = original.getSentinelConfiguration();
		JedisPools copy = (cluster != null) ? new JedisPools(cluster(cluster, knownNodes(original)), client)
				: (sentinel != null) ? new JedisPools(sentinel, client)
						: new JedisPools(Objects.requireNonNull(original.getStandaloneConfiguration()), client);
		if (UNIFIED) {
			UnifiedJedisLine.choose(copy);
		}
		return started(copy);
	}

	/**
	 * Makes a factory whose connections lead to one server and are one connection each.
	 * @param size how many there are at most
	 */
	static JedisPools to(RedisStandaloneConfiguration server, JedisConnectionFactory original, Duration longest,
			int size) {
		JedisPools to = new JedisPools(server, client(original, longest, size));
		if (UNIFIED) {
			UnifiedJedisLine.avoid(to);
		}
		return started(to);
	}

	private static JedisPools started(JedisPools factory) {
		try {
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}
		catch (RuntimeException ex) {
			factory.destroy();
			throw ex;
		}
	}

	/**
	 * The application's configuration with all nodes that its driver knows by now: those
	 * in it may be gone.
	 */
	private static RedisClusterConfiguration cluster(RedisClusterConfiguration original, Set<String> known) {
		RedisClusterConfiguration cluster = new RedisClusterConfiguration(known);
		original.getClusterNodes().forEach(cluster::addClusterNode);
		cluster.setUsername(original.getUsername());
		cluster.setPassword(original.getPassword());
		Integer redirects = original.getMaxRedirects();
		cluster.setMaxRedirects((redirects != null) ? Math.min(redirects, MOST_ATTEMPTS) : MOST_ATTEMPTS);
		return cluster;
	}

	private static Set<String> knownNodes(JedisConnectionFactory factory) {
		try (RedisConnection connection = factory.getClusterConnection()) {
			return pools(connection).keySet();
		}
	}

	/**
	 * The pools of a cluster by node, or that of one server, if the driver shows them.
	 */
	@SuppressWarnings("deprecation")
	private static Map<String, ? extends Pool<Connection>> pools(RedisConnection connection) {
		Object client = connection.getNativeConnection();
		if (client instanceof JedisCluster cluster) {
			return cluster.getClusterNodes();
		}
		return UNIFIED ? UnifiedJedisLine.pools(client) : Map.of();
	}

	// What 4.1 deprecates is all that 3.5 has.
	@SuppressWarnings("deprecation")
	private static JedisClientConfiguration client(JedisConnectionFactory factory, Duration longest, int size) {
		JedisClientConfiguration original = factory.getClientConfiguration();
		JedisClientConfigurationBuilder client = JedisClientConfiguration.builder()
			.connectTimeout(Connections.shorter(longest, original.getConnectTimeout()))
			.readTimeout(Connections.shorter(longest, original.getReadTimeout()));
		original.getClientName().ifPresent(client::clientName);
		client.customize((settings) -> {
			negotiateNothing(settings);
			original.getCustomizer().ifPresent((own) -> own.customize(settings));
		});
		if (UNIFIED) {
			UnifiedJedisLine.customize(client, original);
		}
		if (original.isUseSsl()) {
			JedisSslClientConfigurationBuilder ssl = client.useSsl();
			original.getSslSocketFactory().ifPresent(ssl::sslSocketFactory);
			original.getSslParameters().ifPresent(ssl::sslParameters);
			original.getHostnameVerifier().ifPresent(ssl::hostnameVerifier);
		}
		GenericObjectPoolConfig<?> pool = original.getPoolConfig()
			.<GenericObjectPoolConfig<?>>map(GenericObjectPoolConfig::clone)
			.orElseGet(GenericObjectPoolConfig::new);
		pool.setMaxTotal(size);
		pool.setMaxIdle(size);
		pool.setMinIdle(0);
		pool.setBlockWhenExhausted(true);
		pool.setMaxWait(longest);
		return client.usePooling().poolConfig(pool).build();
	}

	/**
	 * A {@link Jedis} cannot negotiate a protocol. Jedis 8 warns of that for each one,
	 * unless it is told; its predecessors do not know the setting.
	 */
	private static void negotiateNothing(DefaultJedisClientConfig.Builder settings) {
		Method method = ReflectionUtils.findMethod(settings.getClass(), "autoNegotiateProtocol", boolean.class);
		if (method != null) {
			ReflectionUtils.invokeMethod(method, settings, false);
		}
	}

	@Override
	protected Pool<Jedis> createRedisPool() {
		Pool<Jedis> made = super.createRedisPool();
		this.pool = new UnfilledPool(Objects.requireNonNull(getPoolConfig()), made.getFactory());
		made.close();
		return this.pool;
	}

	@Override
	protected Pool<Jedis> createRedisSentinelPool(RedisSentinelConfiguration config) {
		this.pool = super.createRedisSentinelPool(config);
		return this.pool;
	}

	/**
	 * A connection that waits for each answer so long, if it is one connection and the
	 * driver lets that be set.
	 */
	RedisConnection connect(Duration patience) {
		RedisConnection connection = unwrapped(this::getConnection);
		if (connection.getNativeConnection() instanceof Jedis jedis) {
			try {
				setPatience(jedis, patience);
			}
			catch (RuntimeException ex) {
				connection.close();
				throw ex;
			}
		}
		return connection;
	}

	/**
	 * Throws what Jedis has thrown: Spring says that there is no connection also if the
	 * server did not answer on it.
	 */
	private static <T> T unwrapped(Supplier<T> source) {
		try {
			return source.get();
		}
		catch (RedisConnectionFailureException ex) {
			throw (ex.getCause() instanceof JedisException cause) ? cause : ex;
		}
	}

	private static void setPatience(Jedis jedis, Duration patience) {
		Connection socket = jedis.getConnection();
		int millis = (int) Math.max(1, Math.min(patience.toMillis(), Integer.MAX_VALUE));
		if (socket.getSoTimeout() != millis) {
			socket.setSoTimeout(millis);
		}
	}

	/**
	 * Closes all idle connections: what is used next is new.
	 */
	void forgetIdle() {
		if (this.pool != null) {
			this.pool.clear();
			return;
		}
		try (RedisConnection connection = getConnection()) {
			pools(connection).values().forEach(Pool::clear);
		}
		catch (RuntimeException ex) {
			// The factory was stopped meanwhile. What the caller met counts.
		}
	}

	/**
	 * A pool that opens connections only for those who need one. Others (since Commons
	 * Pool 2.13) replace each connection that broke at once, on the thread to which that
	 * happened: where the server hangs, it would wait as long again.
	 */
	@SuppressWarnings("deprecation")
	private static final class UnfilledPool extends JedisPool {

		UnfilledPool(GenericObjectPoolConfig<Jedis> config, PooledObjectFactory<Jedis> factory) {
			super(config, factory);
		}

		@Override
		public void addObject() {
			// Nobody needs it yet.
		}

	}

}
