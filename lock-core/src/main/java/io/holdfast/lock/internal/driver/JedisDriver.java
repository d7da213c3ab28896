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
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.DefaultRedisCredentialsProvider;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.JedisSentinelPool;
import redis.clients.jedis.RedisCredentials;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Jedis. Nothing here uses the application's pool, whose callers by default wait without
 * limit when it is exhausted. Connections are made as the application's factory is
 * configured, but for shorter time-outs. Only so many requests use some at once, so that
 * there are others for renewals.
 */
final class JedisDriver extends Connections<JedisConnectionFactory, JedisLink> {

	static final int MOST_REQUESTS = 16;

	/** So that callers of other nodes go on while some wait for one that hangs. */
	static final int MOST_IN_CLUSTER = 4 * MOST_REQUESTS;

	static final int RESERVED = 4;

	/**
	 * How many nodes a call in a cluster may try: one, the one to which that redirects,
	 * and one to which that one redirects while a slot moves.
	 */
	private static final int MOST_ATTEMPTS = 3;

	private final Semaphore requests;

	JedisDriver(JedisConnectionFactory original, Duration longestRequest) {
		super(original, original.getClientConfiguration().getReadTimeout(), longestRequest);
		this.requests = new Semaphore(isCluster() ? MOST_IN_CLUSTER : MOST_REQUESTS);
	}

	@Override
	public boolean isCluster() {
		return this.original.isRedisClusterAware();
	}

	@Override
	public <T extends @Nullable Object> T call(boolean reserved, Function<RedisConnection, T> command) {
		if (reserved) {
			return super.call(true, command);
		}
		long since = System.nanoTime();
		try {
			// The other half is for the answer.
			if (!this.requests.tryAcquire(longestRequest().toNanos() / 2, TimeUnit.NANOSECONDS)) {
				throw new NotSentException(new NoSuchElementException("all connections are in use"));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new NotSentException(ex);
		}
		try {
			Duration left = longestRequest().minusNanos(System.nanoTime() - since);
			if (left.toMillis() < 1) {
				// To Jedis, 0 is no limit.
				throw new NotSentException(new NoSuchElementException("no time is left for an answer"));
			}
			return call(left, command);
		}
		finally {
			this.requests.release();
		}
	}

	@Override
	public RedisSubscription subscription(List<String> channels, RedisSubscription.Listener listener) {
		return new JedisSubscription(() -> openLink().connect(channels.get(0)), channels, listener);
	}

	/**
	 * Opens pools to the nodes of a cluster, or one to a server, with Sentinel the
	 * master.
	 */
	@Override
	@SuppressWarnings("deprecation")
	JedisLink connect() {
		RedisClusterConfiguration cluster = this.original.getClusterConfiguration();
		if (cluster != null) {
			ConnectionPoolConfig pool = new ConnectionPoolConfig();
			pool.setTestWhileIdle(false);
			pool.setMaxTotal(MOST_IN_CLUSTER + RESERVED);
			pool.setMaxIdle(pool.getMaxTotal());
			pool.setMaxWait(longestRequest());
			return new JedisNodes(new JedisCluster(addresses(cluster.getClusterNodes()),
					config(() -> credentials(this.original.getClusterConfiguration()), 0), MOST_ATTEMPTS, pool));
		}
		RedisSentinelConfiguration sentinel = this.original.getSentinelConfiguration();
		if (sentinel != null) {
			JedisClientConfig config = config(() -> credentials(this.original.getSentinelConfiguration()),
					sentinel.getDatabase());
			GenericObjectPoolConfig<Jedis> pool = new GenericObjectPoolConfig<>();
			// If no sentinel answers, nobody would ever take it from there.
			pool.setJmxEnabled(false);
			return new JedisServer(
					new JedisElections(() -> new JedisSentinelPool(
							Objects.requireNonNull(Objects.requireNonNull(sentinel.getMaster()).getName()),
							addresses(sentinel.getSentinels()), pool, config, config(this::sentinelCredentials, 0))),
					config);
		}
		return new JedisServer(this::address, config(() -> credentials(server()), server().getDatabase()));
	}

	private HostAndPort address() {
		return new HostAndPort(server().getHostName(), server().getPort());
	}

	private RedisStandaloneConfiguration server() {
		return Objects.requireNonNull(this.original.getStandaloneConfiguration());
	}

	private static Set<HostAndPort> addresses(Collection<RedisNode> nodes) {
		return nodes.stream().map((each) -> HostAndPort.from(each.asString())).collect(Collectors.toSet());
	}

	private static RedisCredentials credentials(RedisConfiguration.@Nullable WithAuthentication server) {
		Objects.requireNonNull(server);
		return credentials(server.getUsername(), server.getPassword());
	}

	private RedisCredentials sentinelCredentials() {
		RedisSentinelConfiguration sentinel = Objects.requireNonNull(this.original.getSentinelConfiguration());
		return credentials(sentinel.getSentinelUsername(), sentinel.getSentinelPassword());
	}

	private static RedisCredentials credentials(@Nullable String user, RedisPassword password) {
		return new DefaultRedisCredentials(StringUtils.hasLength(user) ? user : null,
				password.toOptional().orElse(null));
	}

	/**
	 * Has each connection ask for the credentials of its time, unless a customizer gives
	 * others.
	 */
	// What 4.1 deprecates is all that 3.5 has.
	@SuppressWarnings("deprecation")
	private JedisClientConfig config(Supplier<RedisCredentials> credentials, int database) {
		JedisClientConfiguration client = this.original.getClientConfiguration();
		RedisCredentials present = credentials.get();
		DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
			.user(present.getUser())
			.password((present.getPassword() != null) ? new String(present.getPassword()) : null)
			.connectionTimeoutMillis((int) shorter(longestRequest(), client.getConnectTimeout()).toMillis())
			.socketTimeoutMillis((int) longestRequest().toMillis())
			.database(database)
			.ssl(client.isUseSsl());
		client.getClientName().ifPresent(config::clientName);
		client.getSslSocketFactory().ifPresent(config::sslSocketFactory);
		client.getSslParameters().ifPresent(config::sslParameters);
		client.getHostnameVerifier().ifPresent(config::hostnameVerifier);
		// A Jedis cannot negotiate a protocol. Jedis 8 warns of that for each one, unless
		// it is told; its predecessors do not know the setting.
		Method negotiates = ReflectionUtils.findMethod(config.getClass(), "autoNegotiateProtocol", boolean.class);
		if (negotiates != null) {
			ReflectionUtils.invokeMethod(negotiates, config, false);
		}
		client.getCustomizer().ifPresent((own) -> own.customize(config));
		JedisClientConfig customized = config.build();
		return (customized.getCredentialsProvider() instanceof DefaultRedisCredentialsProvider fixed
				&& areSame(fixed.get(), present)) ? config.credentialsProvider(credentials).build() : customized;
	}

	private static boolean areSame(RedisCredentials one, RedisCredentials other) {
		return Objects.equals(one.getUser(), other.getUser()) && Arrays.equals(one.getPassword(), other.getPassword());
	}

}
