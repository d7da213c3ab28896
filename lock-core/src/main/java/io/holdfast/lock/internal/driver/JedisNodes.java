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
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.util.Pool;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisClusterConnection;

/**
 * A cluster as Jedis knows it, with a pool for each node.
 */
@SuppressWarnings("deprecation")
final class JedisNodes implements Line {

	private final JedisCluster cluster;

	private final RedisClusterConnection connection;

	JedisNodes(JedisCluster cluster) {
		this.cluster = cluster;
		this.connection = new JedisClusterConnection(cluster);
	}

	@Override
	public boolean isUsable() {
		return true;
	}

	@Override
	public <T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command) {
		try {
			return command.apply(this.connection);
		}
		catch (RuntimeException ex) {
			if (Causes.isDeadConnection(ex)) {
				renew();
				throw new MaybeSentException(ex, true);
			}
			// Jedis may have sent it, and found no connection to send it again.
			throw Causes.any(ex, NoSuchElementException.class::isInstance) ? new MaybeSentException(ex, false) : ex;
		}
	}

	@Override
	public List<RedisClusterNode> nodes() {
		return Servers.nodes(this.connection);
	}

	/**
	 * Closes all idle connections: what is used next is new.
	 */
	@Override
	public void renew() {
		this.cluster.getClusterNodes().values().forEach(Pool::clear);
	}

	@Override
	public void close() {
		this.connection.close();
		this.cluster.close();
	}

}
