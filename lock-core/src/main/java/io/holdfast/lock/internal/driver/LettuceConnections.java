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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;

/**
 * The connection that the application's Lettuce factory shares among all threads, or one
 * of its connections where it shares none. Only the wait for an answer is this client's
 * own.
 */
final class LettuceConnections implements RedisConnections {

	/*
	 * Why a call ends. Its answer is waited for within its limit. A connection that was
	 * open takes commands without blocking, also while Lettuce connects again. To get one
	 * may block, for the connection itself or for others who wait for it, so another
	 * thread does that. It is asked for again when it is not open: it may have been
	 * replaced. While it is the same, and Lettuce still connects, that is done once in a
	 * while only.
	 */

	private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long RENEW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final LettuceConnectionFactory original;

	private final Duration longest;

	private final Opening<Opened> connection;

	private final Runnable onDemoted;

	private final AtomicLong demotedNanos = new AtomicLong(System.nanoTime() - Connections.ANEW_NANOS);

	private final AtomicLong refreshedNanos = new AtomicLong(System.nanoTime() - REFRESH_NANOS);

	LettuceConnections(LettuceConnectionFactory original, Duration longest, Runnable onDemoted) {
		this.original = original;
		this.onDemoted = onDemoted;
		this.longest = Connections.shorter(longest, original.getClientConfiguration().getCommandTimeout());
		this.connection = new Opening<>(this::open, Opened::isUsable, Opened::giveBack);
	}

	/**
	 * Gets a connection of the application's.
	 */
	private Opened open() {
		RedisConnection opened = this.original.getConnection();
		StatefulConnection<?, ?> open = ((AbstractRedisAsyncCommands<?, ?>) ((LettuceConnection) opened)
			.getNativeConnection()).getConnection();
		return new Opened(opened, open, System.nanoTime());
	}

	@Override
	public <T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command) {
		Servers.checkRunning(this.original);
		Duration most = Connections.shorter(limit, this.longest);
		Opened opened = this.connection.await(most);
		return Connections.use((opened != null) ? opened.waitingFor(most) : this.original.getConnection(), command);
	}

	@Override
	public boolean isCluster() {
		return this.original.isClusterAware();
	}

	@Override
	public List<RedisClusterNode> clusterNodes() {
		if (!isCluster()) {
			return List.of();
		}
		Servers.checkRunning(this.original);
		// Then the factory need not connect, for which it would wait without a limit.
		this.connection.await(this.longest);
		List<RedisClusterNode> nodes = new ArrayList<>();
		try (RedisClusterConnection opened = this.original.getClusterConnection()) {
			opened.clusterGetNodes().forEach(nodes::add);
		}
		return nodes;
	}

	/**
	 * Has Lettuce look which node is a master now, in the background and at most once a
	 * second. By itself it does not when a node hangs, nor when one died to which it had
	 * no connection yet.
	 */
	@Override
	public void unanswered() {
		if (this.original.isRunning() && Connections.isDue(this.refreshedNanos, REFRESH_NANOS)
				&& this.original.getNativeClient() instanceof RedisClusterClient client) {
			client.refreshPartitionsAsync();
		}
	}

	/**
	 * Has the server close the connection, after it has answered all that was sent
	 * before, the application's commands as well. Lettuce connects again by itself.
	 */
	@Override
	public void demoted() {
		Opened opened = this.connection.present();
		if (opened != null && opened.open() instanceof StatefulRedisConnection<?, ?> single
				&& Connections.isDue(this.demotedNanos, Connections.ANEW_NANOS)) {
			single.async().quit().exceptionally((unanswered) -> null);
			this.onDemoted.run();
		}
	}

	@Override
	public boolean hasPipeline() {
		return this.original.isClusterAware();
	}

	void close() {
		this.connection.close();
	}

	/**
	 * A connection of the application's, as the source of connections that wait for their
	 * answers only so long. To close one of those changes nothing.
	 *
	 * @param connection Spring's connection
	 * @param open that of Lettuce
	 * @param openedNanos when it was there
	 */
	private record Opened(RedisConnection connection, StatefulConnection<?, ?> open,
			long openedNanos) implements LettuceConnectionProvider {

		boolean isUsable() {
			if (this.open.isOpen()) {
				return true;
			}
			boolean closed = this.open instanceof RedisChannelHandler<?, ?> channel && channel.isClosed();
			return !closed && System.nanoTime() - this.openedNanos < RENEW_NANOS;
		}

		LettuceConnection waitingFor(Duration limit) {
			return new LettuceConnection((StatefulRedisConnection<byte[], byte[]>) null, this,
					Math.max(limit.toMillis(), 1), 0);
		}

		@Override
		public <T extends StatefulConnection<?, ?>> CompletionStage<T> getConnectionAsync(Class<T> type) {
			return CompletableFuture.completedFuture(type.cast(this.open));
		}

		@Override
		public void release(StatefulConnection<?, ?> used) {
			// It stays open for the next one.
		}

		void giveBack() {
			this.connection.close();
		}

	}

}
