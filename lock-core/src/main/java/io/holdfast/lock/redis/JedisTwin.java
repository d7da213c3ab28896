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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * A twin of a Jedis factory. A Jedis connection that had a subscription may go back into
 * its pool with an answer under way, if it breaks or ends at the wrong moment; the next
 * to borrow it takes that for its own. In a pool that nobody else uses this harms nobody.
 */
public final class JedisTwin implements Twin {

	private final JedisConnectionFactory factory;

	private JedisTwin(RedisStandaloneConfiguration server, JedisConnectionFactory original) {
		this.factory = new JedisConnectionFactory(server, original.getClientConfiguration());
		// The connections of the newer kind do not let go of their socket, and are not
		// one connection.
		this.factory.setUseUnifiedJedis(false);
		this.factory.afterPropertiesSet();
		this.factory.start();
	}

	/**
	 * Makes the twin of a factory for a subscription: in a cluster to any server that is
	 * up, because they pass messages on to each other.
	 * @return the twin, or {@code null} if the factory is not one of Jedis
	 */
	public static @Nullable JedisTwin of(RedisConnectionFactory original) {
		return (original instanceof JedisConnectionFactory jedis) ? new JedisTwin(server(jedis, null), jedis) : null;
	}

	/**
	 * Makes the twin of a factory that leads to a master.
	 * @param node which one of a cluster
	 */
	static JedisTwin to(JedisConnectionFactory original, String node) {
		return new JedisTwin(server(original, node), original);
	}

	private static RedisStandaloneConfiguration server(JedisConnectionFactory jedis, @Nullable String node) {
		RedisClusterConfiguration cluster = jedis.getClusterConfiguration();
		if (cluster != null) {
			return (node != null) ? Twin.server(node, cluster)
					: Twin.server(anyNode(jedis.getClusterConnection()), cluster, 0);
		}
		RedisSentinelConfiguration sentinel = jedis.getSentinelConfiguration();
		return (sentinel != null) ? Twin.master(jedis, sentinel)
				: Objects.requireNonNull(jedis.getStandaloneConfiguration());
	}

	private static RedisNode anyNode(RedisClusterConnection cluster) {
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

	@Override
	public RedisConnectionFactory factory() {
		return this.factory;
	}

	@Override
	public long waitForReplicas(RedisConnection connection, int replicas, Duration timeout) {
		long millis = Twin.waitMillis(timeout, this.factory.getTimeout());
		return ((Jedis) connection.getNativeConnection()).waitReplicas(replicas, millis);
	}

	/**
	 * Closes the socket of a connection, whatever waits for an answer there.
	 */
	public static void disconnect(RedisConnection connection) {
		if (connection.getNativeConnection() instanceof Jedis jedis) {
			try {
				jedis.getConnection().forceDisconnect();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	@Override
	public void destroy() {
		this.factory.destroy();
	}

}
