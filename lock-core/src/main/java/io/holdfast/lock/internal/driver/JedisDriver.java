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
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.JedisSentinelPool;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Jedis. Until the client is closed nothing here uses the application's pool, whose
 * callers by default wait without limit when it is exhausted. Connections are made as the
 * application's factory is configured, but for shorter time-outs.
 */
final class JedisDriver implements Driver {

	private static final boolean UNIFIED = ClassUtils.hasMethod(JedisConnectionFactory.class, "setUseUnifiedJedis",
			boolean.class);

	private static final int RENEWAL_CONNECTIONS = 4;

	private static final int FEWEST_CONNECTIONS = 8;

	private static final int MOST_CONNECTIONS = 32;

	/**
	 * How many nodes a call in a cluster may try: one, the one to which that redirects,
	 * and one to which that one redirects while a slot moves.
	 */
	private static final int MOST_ATTEMPTS = 3;

	private final JedisConnectionFactory original;

	JedisDriver(JedisConnectionFactory original) {
		this.original = original;
	}

	@Override
	public Duration timeout() {
		return this.original.getClientConfiguration().getReadTimeout();
	}

	@Override
	public boolean isCluster() {
		return this.original.isRedisClusterAware();
	}

	@Override
	public boolean hasPipeline() {
		return false;
	}

	/**
	 * As many as the application's pool has, within bounds.
	 */
	@Override
	public int mostRequests() {
		int most = this.original.getClientConfiguration()
			.getPoolConfig()
			.map((pool) -> pool.getMaxTotal())
			.orElse(FEWEST_CONNECTIONS);
		return (most < 0) ? MOST_CONNECTIONS : Math.min(Math.max(most, FEWEST_CONNECTIONS), MOST_CONNECTIONS);
	}

	@Override
	public Line open(Duration longest) {
		RedisClusterConfiguration cluster = this.original.getClusterConfiguration();
		RedisSentinelConfiguration sentinel = this.original.getSentinelConfiguration();
		if (cluster != null) {
			return new JedisNodes(connect(cluster, longest));
		}
		return (sentinel != null) ? elected(sentinel, longest) : server(longest);
	}

	private JedisServer server(Duration longest) {
		RedisStandaloneConfiguration server = Objects.requireNonNull(this.original.getStandaloneConfiguration());
		HostAndPort address = new HostAndPort(server.getHostName(), server.getPort());
		return new JedisServer(() -> address, config(server, server.getDatabase(), longest), () -> {
		});
	}

	/**
	 * The master, whoever that is. Of a pool of Jedis only the listeners are used, to
	 * which sentinels tell of each new master; it remembers the last one while no
	 * sentinel answers.
	 */
	@SuppressWarnings("deprecation")
	private JedisServer elected(RedisSentinelConfiguration sentinel, Duration longest) {
		Set<HostAndPort> sentinels = new HashSet<>();
		sentinel.getSentinels().forEach((each) -> sentinels.add(HostAndPort.from(each.asString())));
		DefaultJedisClientConfig config = config(sentinel, sentinel.getDatabase(), longest);
		JedisSentinelPool elections = new JedisSentinelPool(
				String.valueOf(Objects.requireNonNull(sentinel.getMaster()).getName()), sentinels,
				new GenericObjectPoolConfig<>(), config,
				config(sentinel.getSentinelUsername(), sentinel.getSentinelPassword(), 0, longest));
		return new JedisServer(elections::getCurrentHostMaster, config, elections::close);
	}

	@Override
	public RedisSubscription subscription(byte[] channel, RedisSubscription.Listener listener, RedisConnections nodes) {
		return new JedisSubscription(() -> {
			Servers.checkRunning(this.original);
			RedisClusterConfiguration cluster = this.original.getClusterConfiguration();
			return (cluster != null)
					? new Jedis(anyOf(nodes.clusterNodes()), config(cluster, 0, JedisSubscription.PATIENCE))
					: subscribing();
		}, channel, listener);
	}

	private Jedis subscribing() {
		RedisSentinelConfiguration sentinel = this.original.getSentinelConfiguration();
		if (sentinel != null) {
			HostAndPort master = HostAndPort.from(Servers.master(this.original, sentinel).asString());
			return new Jedis(master, config(sentinel, sentinel.getDatabase(), JedisSubscription.PATIENCE));
		}
		RedisStandaloneConfiguration server = Objects.requireNonNull(this.original.getStandaloneConfiguration());
		return new Jedis(new HostAndPort(server.getHostName(), server.getPort()),
				config(server, server.getDatabase(), JedisSubscription.PATIENCE));
	}

	/**
	 * A node of a cluster that is up. Not always the same: it may be one that hangs.
	 */
	private static HostAndPort anyOf(List<RedisClusterNode> nodes) {
		List<String> up = nodes.stream()
			.filter((node) -> node.isConnected() && !node.isMarkedAsFail())
			.map(RedisClusterNode::asString)
			.toList();
		if (up.isEmpty()) {
			throw new IllegalStateException("no reachable node in the cluster");
		}
		return HostAndPort.from(up.get(ThreadLocalRandom.current().nextInt(up.size())));
	}

	/**
	 * Opens pools to the nodes of a cluster: to those that the application's driver knows
	 * by now, as those in its configuration may be gone.
	 */
	@SuppressWarnings("deprecation")
	private JedisCluster connect(RedisClusterConfiguration cluster, Duration longest) {
		Set<HostAndPort> nodes = new HashSet<>();
		knownNodes().forEach((each) -> nodes.add(HostAndPort.from(each)));
		cluster.getClusterNodes().forEach((each) -> nodes.add(HostAndPort.from(each.asString())));
		Integer redirects = cluster.getMaxRedirects();
		ConnectionPoolConfig pool = new ConnectionPoolConfig();
		pool.setTestWhileIdle(false);
		pool.setMaxTotal(mostRequests() + RENEWAL_CONNECTIONS);
		pool.setMaxIdle(pool.getMaxTotal());
		pool.setMaxWait(longest);
		return new JedisCluster(nodes, config(cluster, 0, longest),
				(redirects != null) ? Math.min(redirects, MOST_ATTEMPTS) : MOST_ATTEMPTS, pool);
	}

	@SuppressWarnings("deprecation")
	private Set<String> knownNodes() {
		try (RedisConnection connection = this.original.getClusterConnection()) {
			Object client = connection.getNativeConnection();
			if (client instanceof JedisCluster cluster) {
				return cluster.getClusterNodes().keySet();
			}
			return UNIFIED ? UnifiedJedisLine.nodes(client) : Set.of();
		}
	}

	private DefaultJedisClientConfig config(WithAuthentication server, int database, Duration longest) {
		return config(server.getUsername(), server.getPassword(), database, longest);
	}

	// What 4.1 deprecates is all that 3.5 has.
	@SuppressWarnings("deprecation")
	private DefaultJedisClientConfig config(@Nullable String user, RedisPassword password, int database,
			Duration longest) {
		JedisClientConfiguration client = this.original.getClientConfiguration();
		DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
			.connectionTimeoutMillis(millis(longest, client.getConnectTimeout()))
			.socketTimeoutMillis(millis(longest, client.getReadTimeout()))
			.database(database)
			.user(StringUtils.hasLength(user) ? user : null)
			.ssl(client.isUseSsl());
		password.toOptional().map(String::new).ifPresent(config::password);
		client.getClientName().ifPresent(config::clientName);
		client.getSslSocketFactory().ifPresent(config::sslSocketFactory);
		client.getSslParameters().ifPresent(config::sslParameters);
		client.getHostnameVerifier().ifPresent(config::hostnameVerifier);
		negotiateNothing(config);
		client.getCustomizer().ifPresent((own) -> own.customize(config));
		return config.build();
	}

	private static int millis(Duration longest, Duration original) {
		return (int) Math.min(Connections.shorter(longest, original).toMillis(), Integer.MAX_VALUE);
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

}
