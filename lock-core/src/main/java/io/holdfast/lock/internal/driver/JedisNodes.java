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

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.Pool;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisClusterConnection;

/**
 * A cluster as Jedis knows it, with a pool for each node.
 */
@SuppressWarnings("deprecation")
final class JedisNodes implements JedisLink {

	private final JedisCluster cluster;

	private final RedisClusterConnection connection;

	JedisNodes(JedisCluster cluster) {
		this.cluster = cluster;
		this.connection = new JedisClusterConnection(cluster);
	}

	/**
	 * Closes all idle connections if one was dead, so that what is used next is new. If
	 * there was none to be had, Jedis may still have sent the command before, and found
	 * no connection to send it again.
	 */
	@Override
	public <T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command) {
		try {
			return command.apply(this.connection);
		}
		catch (RuntimeException ex) {
			if (!Link.has(ex, JedisConnectionException.class, NoSuchElementException.class)
					|| Link.has(ex, SocketTimeoutException.class, ConnectException.class, NoRouteToHostException.class,
							UnknownHostException.class)) {
				throw ex;
			}
			if (Link.has(ex, JedisConnectionException.class)) {
				renew();
			}
			throw new MaybeSentException(ex);
		}
	}

	@Override
	public void renew() {
		this.cluster.getClusterNodes().values().forEach(Pool::clear);
	}

	@Override
	public Iterable<RedisClusterNode> nodes() {
		return this.connection.clusterGetNodes();
	}

	@Override
	public Connection connect(String key) {
		return this.cluster
			.getConnectionFromSlot(ClusterSlotHashUtil.calculateSlot(key.getBytes(StandardCharsets.UTF_8)));
	}

	/**
	 * Makes the next calls open new connections, without a look whether they have to.
	 * Calls under way end with the time-outs of a cluster, and Jedis makes them again.
	 */
	@Override
	public void probe(BooleanSupplier silent) {
		renew();
	}

	@Override
	public void close() {
		this.connection.close();
		this.cluster.close();
	}

}
