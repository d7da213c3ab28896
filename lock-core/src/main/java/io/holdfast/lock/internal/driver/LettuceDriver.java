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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Lettuce. The application's client opens connections of this client's own: one takes any
 * number of commands at once, renewals as well. Uses the native client, not the
 * connection factory: getting a connection takes the factory's lock, and shutdown would
 * wait for that while a server hangs.
 */
final class LettuceDriver extends Connections<LettuceConnectionFactory, LettuceLink> {

	LettuceDriver(LettuceConnectionFactory original, Duration longestRequest) {
		super(original, original.getClientConfiguration().getCommandTimeout(), longestRequest);
	}

	@Override
	public boolean isCluster() {
		return this.original.isClusterAware();
	}

	@Override
	LettuceLink connect() {
		AbstractRedisClient client = this.original.getRequiredNativeClient();
		return new LettuceLink(client, this.longestReserved, () -> (client instanceof RedisClusterClient cluster)
				? cluster.connect(ByteArrayCodec.INSTANCE) : ((RedisClient) client).connect(ByteArrayCodec.INSTANCE));
	}

	@Override
	public RedisSubscription subscription(List<String> channels, RedisSubscription.Listener listener) {
		// The first call is to find it open: the first connection of a JVM takes longest.
		CompletableFuture<LettuceLink> unused = openInPlaceOf(null);
		return new LettuceSubscription(() -> connectPubSub(channels.get(0)), channels, listener);
	}

	private StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub(String key) {
		AbstractRedisClient client = this.original.getRequiredNativeClient();
		if (client instanceof RedisClusterClient cluster) {
			int slot = SlotHash.getSlot(key);
			RedisClusterNode master = Objects.requireNonNull(cluster.getPartitions().getMasterBySlot(slot),
					() -> "no node has slot " + slot);
			RedisClient single = RedisClient.create(cluster.getResources());
			single.setOptions(cluster.getOptions());
			try {
				StatefulRedisPubSubConnection<byte[], byte[]> connection = single.connectPubSub(ByteArrayCodec.INSTANCE,
						master.getUri());
				connection.addListener(new RedisConnectionStateListener() {

					@Override
					public void onRedisDisconnected(RedisChannelHandler<?, ?> broken) {
						end(single);
					}

				});
				return connection;
			}
			catch (RuntimeException | Error ex) {
				end(single);
				throw ex;
			}
		}
		return ((RedisClient) client).connectPubSub(ByteArrayCodec.INSTANCE);
	}

	/**
	 * Gives back what it has of the application's resources.
	 */
	private static void end(RedisClient single) {
		CompletableFuture<Void> unused = single.shutdownAsync(0, 0, TimeUnit.SECONDS);
	}

}
