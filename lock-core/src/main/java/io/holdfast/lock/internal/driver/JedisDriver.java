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
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Jedis. Until the client is closed nothing here uses the application's pool, whose
 * callers by default wait without limit when it is exhausted.
 */
final class JedisDriver implements RedisDriver {

	private static final int RENEWAL_CONNECTIONS = 4;

	private static final int FEWEST_CONNECTIONS = 8;

	private static final int MOST_CONNECTIONS = 32;

	private final JedisConnectionFactory original;

	private final Duration longestRequest;

	private final JedisConnections requests;

	private final JedisConnections renewals;

	private volatile @Nullable RedisSubscription latest;

	JedisDriver(JedisConnectionFactory original, Duration longestRequest) {
		this.original = original;
		this.longestRequest = longestRequest;
		this.requests = new JedisConnections(original, longestRequest, connections(original), this::endSubscription);
		this.renewals = new JedisConnections(original, longestRenewal(), RENEWAL_CONNECTIONS, this::endSubscription);
	}

	/**
	 * As many as the application's pool has, within bounds. Only those are opened that
	 * are needed at once.
	 */
	private static int connections(JedisConnectionFactory original) {
		int most = original.getClientConfiguration()
			.getPoolConfig()
			.map((pool) -> pool.getMaxTotal())
			.orElse(FEWEST_CONNECTIONS);
		return (most < 0) ? MOST_CONNECTIONS : Math.min(Math.max(most, FEWEST_CONNECTIONS), MOST_CONNECTIONS);
	}

	@Override
	public Duration longestRequest() {
		return this.longestRequest;
	}

	@Override
	public RedisConnections requests() {
		return this.requests;
	}

	@Override
	public RedisConnections reserved() {
		return new Reserved(this.renewals, this.requests);
	}

	@Override
	public RedisSubscription subscription(byte[] channel, RedisSubscription.Listener listener) {
		RedisSubscription subscription = new JedisSubscription(
				() -> JedisPools.to(server(anyNode()), this.original, JedisSubscription.PATIENCE, 1), channel,
				listener);
		this.latest = subscription;
		return subscription;
	}

	/** So that the one who listens subscribes anew. */
	private void endSubscription() {
		RedisSubscription subscription = this.latest;
		if (subscription != null) {
			subscription.end();
		}
	}

	private RedisStandaloneConfiguration server(@Nullable String node) {
		Servers.checkRunning(this.original);
		RedisClusterConfiguration cluster = this.original.getClusterConfiguration();
		if (cluster != null) {
			return Servers.node(Objects.requireNonNull(node), cluster);
		}
		RedisSentinelConfiguration sentinel = this.original.getSentinelConfiguration();
		return (sentinel != null) ? Servers.master(this.original, sentinel)
				: Objects.requireNonNull(this.original.getStandaloneConfiguration());
	}

	/**
	 * A node of a cluster that is up. Not always the same: it may be one that hangs.
	 */
	private @Nullable String anyNode() {
		if (!this.original.isRedisClusterAware()) {
			return null;
		}
		List<String> up = reserved().clusterNodes()
			.stream()
			.filter((node) -> node.isConnected() && !node.isMarkedAsFail())
			.map(RedisClusterNode::asString)
			.toList();
		if (up.isEmpty()) {
			throw new IllegalStateException("no reachable node in the cluster");
		}
		return up.get(ThreadLocalRandom.current().nextInt(up.size()));
	}

	@Override
	public void close() {
		this.renewals.close();
		this.requests.close();
	}

	/**
	 * Connections for renewals, and those of requests where these cannot be opened at
	 * once or fail in any way but silence: perhaps the server takes no more of them.
	 *
	 * @param own those for renewals
	 * @param others those of requests
	 */
	private record Reserved(JedisConnections own, JedisConnections others) implements RedisConnections {

		/**
		 * How long a renewal waits for its connections while they are opened for the
		 * first time.
		 */
		private static final Duration MOMENT = Duration.ofMillis(100);

		@Override
		public <T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command) {
			if (!this.own.isOpenWithin(MOMENT)) {
				return this.others.call(limit, command);
			}
			try {
				return this.own.call(limit, command);
			}
			catch (RuntimeException ex) {
				if (Causes.isSilence(ex) || Causes.isInterrupt(ex)) {
					throw ex;
				}
				return this.others.call(limit, command);
			}
		}

		@Override
		public boolean isCluster() {
			return this.own.isCluster();
		}

		@Override
		public void demoted() {
			this.own.demoted();
			this.others.demoted();
		}

	}

}
