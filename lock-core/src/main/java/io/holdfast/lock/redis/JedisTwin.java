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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * A Jedis connection factory for one subscription, thrown away with it, with the settings
 * of the application's. A Jedis connection that had a subscription may go back into its
 * pool with an answer under way, if it breaks or ends at the wrong moment; the next to
 * borrow it takes that for its own. In a pool that nobody else uses this harms nobody.
 * <p>
 * It leads to one server: of a cluster any that is up, because they pass messages on to
 * each other; else the master. Its connection can be closed under a subscription that
 * hears nothing.
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
		JedisConnectionFactory factory = new JedisConnectionFactory(server(jedis), jedis.getClientConfiguration());
		// The connections of the newer kind do not let go of their socket.
		factory.setUseUnifiedJedis(false);
		factory.afterPropertiesSet();
		factory.start();
		return new JedisTwin(factory);
	}

	private static RedisStandaloneConfiguration server(JedisConnectionFactory jedis) {
		RedisClusterConfiguration cluster = jedis.getClusterConfiguration();
		if (cluster != null) {
			return server(nodeOf(jedis.getClusterConnection()), cluster, 0);
		}
		RedisSentinelConfiguration sentinel = jedis.getSentinelConfiguration();
		if (sentinel != null) {
			return server(masterOf(jedis, sentinel), sentinel, sentinel.getDatabase());
		}
		return Objects.requireNonNull(jedis.getStandaloneConfiguration());
	}

	private static RedisStandaloneConfiguration server(RedisNode node,
			RedisConfiguration.WithAuthentication authentication, int database) {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(Objects.requireNonNull(node.getHost()),
				node.getRequiredPort());
		server.setUsername(authentication.getUsername());
		server.setPassword(authentication.getPassword());
		server.setDatabase(database);
		return server;
	}

	private static RedisNode nodeOf(RedisClusterConnection cluster) {
		try (cluster) {
			List<RedisClusterNode> up = new ArrayList<>();
			for (RedisClusterNode node : cluster.clusterGetNodes()) {
				if (node.isConnected() && !node.isMarkedAsFail()) {
					up.add(node);
				}
			}
			// Not always the same: it may be one that hangs.
			return up.get(ThreadLocalRandom.current().nextInt(up.size()));
		}
	}

	private static RedisNode masterOf(JedisConnectionFactory jedis, RedisSentinelConfiguration sentinel) {
		String name = sentinel.getRequiredMaster().getName();
		try (RedisSentinelConnection connection = jedis.getSentinelConnection()) {
			return connection.masters()
				.stream()
				.filter((each) -> Objects.equals(each.getName(), name))
				.findFirst()
				.orElseThrow();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	RedisConnection connection() {
		return this.factory.getConnection();
	}

	/**
	 * Closes the socket of a connection, whatever waits for an answer there.
	 */
	static void disconnect(RedisConnection connection) {
		if (connection.getNativeConnection() instanceof Jedis jedis) {
			try {
				jedis.getConnection().forceDisconnect();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	void destroy() {
		this.factory.destroy();
	}

}
