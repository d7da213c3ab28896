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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
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
 * <p>
 * A connection that was open takes commands without blocking, also while Lettuce connects
 * again. It is asked for again when it is not open: it may have been replaced. While it
 * is the same, and Lettuce still connects, that is done once in a while only.
 *
 * @param original the application's
 * @param connection Spring's connection
 * @param open that of Lettuce
 * @param openedNanos when it was there
 */
record LettuceLine(LettuceConnectionFactory original, RedisConnection connection, StatefulConnection<?, ?> open,
		long openedNanos) implements Line, LettuceConnectionProvider {

	private static final long RENEW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	static LettuceLine open(LettuceConnectionFactory original) {
		RedisConnection opened = original.getConnection();
		StatefulConnection<?, ?> open = ((AbstractRedisAsyncCommands<?, ?>) ((LettuceConnection) opened)
			.getNativeConnection()).getConnection();
		return new LettuceLine(original, opened, open, System.nanoTime());
	}

	@Override
	public boolean isUsable() {
		if (this.open.isOpen()) {
			return true;
		}
		boolean closed = this.open instanceof RedisChannelHandler<?, ?> channel && channel.isClosed();
		return !closed && System.nanoTime() - this.openedNanos < RENEW_NANOS;
	}

	/**
	 * Uses a connection that waits for its answers only so long. To close it changes
	 * nothing.
	 */
	@Override
	public <T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command) {
		try (RedisConnection waiting = new LettuceConnection((StatefulRedisConnection<byte[], byte[]>) null, this,
				Math.max(limit.toMillis(), 1), 0)) {
			return command.apply(waiting);
		}
	}

	@Override
	public <T extends StatefulConnection<?, ?>> CompletionStage<T> getConnectionAsync(Class<T> type) {
		return CompletableFuture.completedFuture(type.cast(this.open));
	}

	@Override
	public void release(StatefulConnection<?, ?> used) {
		// It stays open for the next one.
	}

	@Override
	public List<RedisClusterNode> nodes() {
		try (RedisClusterConnection cluster = this.original.getClusterConnection()) {
			return Servers.nodes(cluster);
		}
	}

	/**
	 * Has Lettuce look which node is a master now, in the background. By itself it does
	 * not when a node hangs, nor when one died to which it had no connection yet.
	 */
	@Override
	public void unanswered() {
		if (this.original.isRunning() && this.original.getNativeClient() instanceof RedisClusterClient client) {
			client.refreshPartitionsAsync();
		}
	}

	/**
	 * Has the server close the connection, after it has answered all that was sent
	 * before, the application's commands as well. Lettuce connects again by itself.
	 */
	@Override
	public void renew() {
		if (this.open instanceof StatefulRedisConnection<?, ?> single) {
			single.async().quit().exceptionally((unanswered) -> null);
		}
	}

	@Override
	public void close() {
		this.connection.close();
	}

}
