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
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * What Spring allows with a connection factory of another kind. Limits are its own: how
 * long it waits for a connection and for an answer is its business.
 */
final class PlainDriver implements RedisDriver, RedisConnections {

	private final RedisConnectionFactory connectionFactory;

	private final Duration longestRequest;

	/**
	 * Whether Redis is a cluster, once a connection has told.
	 */
	private volatile @Nullable Boolean cluster;

	PlainDriver(RedisConnectionFactory connectionFactory, Duration longestRequest) {
		this.connectionFactory = connectionFactory;
		this.longestRequest = longestRequest;
	}

	@Override
	public Duration longestRequest() {
		return this.longestRequest;
	}

	@Override
	public RedisConnections requests() {
		return this;
	}

	@Override
	public RedisConnections reserved() {
		return this;
	}

	@Override
	public <T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command) {
		return Connections.use(this.connectionFactory.getConnection(), command);
	}

	@Override
	public boolean isCluster() {
		Boolean known = this.cluster;
		if (known == null) {
			known = call(this.longestRequest, RedisClusterConnection.class::isInstance);
			this.cluster = known;
		}
		return known;
	}

	@Override
	public void checkDedicated() {
		throw new IllegalArgumentException(unsupported());
	}

	@Override
	public DedicatedConnection dedicated(String node) {
		throw new UnsupportedOperationException(unsupported());
	}

	private String unsupported() {
		return "Replica acknowledgement needs a connection factory of Jedis or of Lettuce: "
				+ this.connectionFactory.getClass().getName();
	}

	@Override
	public RedisSubscription subscription(byte[] channel, RedisSubscription.Listener listener) {
		return new SpringSubscription(this.connectionFactory::getConnection, channel, listener, true);
	}

}
