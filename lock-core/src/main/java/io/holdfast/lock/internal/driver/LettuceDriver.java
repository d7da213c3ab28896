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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;

/**
 * Lettuce. Its connection takes any number of commands at once, so renewals need none of
 * their own.
 */
final class LettuceDriver implements Driver {

	private final LettuceConnectionFactory original;

	LettuceDriver(LettuceConnectionFactory original) {
		this.original = original;
	}

	@Override
	public Duration timeout() {
		return this.original.getClientConfiguration().getCommandTimeout();
	}

	@Override
	public boolean isCluster() {
		return this.original.isClusterAware();
	}

	@Override
	public boolean hasPipeline() {
		return isCluster();
	}

	@Override
	public int mostRequests() {
		return Integer.MAX_VALUE;
	}

	@Override
	public Line open(Duration longest) {
		return LettuceLine.open(this.original);
	}

	@Override
	public RedisSubscription subscription(byte[] channel, RedisSubscription.Listener listener,
			RedisConnections cluster) {
		return new LettuceSubscription(this::connectPubSub, channel, listener);
	}

	/**
	 * Whether the factory was given a list of servers, of which the driver finds the
	 * master. No method of it tells. But once it is started it gives its client no
	 * address then, about which the client complains before it does anything else. Any
	 * other client complains about the missing codec, and does not connect either.
	 */
	@SuppressWarnings("NullAway")
	private boolean isOfListedServers() {
		if (!this.original.isRunning() || !(this.original.getNativeClient() instanceof RedisClient client)) {
			return false;
		}
		try {
			client.connectPubSub((RedisCodec<?, ?>) null).close();
			return false;
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
		catch (IllegalStateException ex) {
			return true;
		}
	}

	/**
	 * A connection only to subscribe. The factory's would first open the one that it
	 * shares, under a lock for which {@code destroy} waits while the server hangs.
	 */
	private RedisConnection connectPubSub() {
		Servers.checkRunning(this.original);
		if (isOfListedServers()) {
			return this.original.getConnection();
		}
		LettuceConnectionProvider provider = this::connectPubSub;
		return new LettuceConnection((StatefulRedisConnection<byte[], byte[]>) null, provider,
				this.original.getClientConfiguration().getCommandTimeout().toMillis(), 0);
	}

	private <T extends StatefulConnection<?, ?>> CompletionStage<T> connectPubSub(Class<T> type) {
		AbstractRedisClient client = this.original.getRequiredNativeClient();
		return CompletableFuture.completedFuture(type
			.cast((client instanceof RedisClusterClient cluster) ? cluster.connectPubSub(ByteArrayCodec.INSTANCE)
					: ((RedisClient) client).connectPubSub(ByteArrayCodec.INSTANCE)));
	}

}
