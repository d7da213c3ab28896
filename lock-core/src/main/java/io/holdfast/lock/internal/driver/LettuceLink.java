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
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConverters;

/**
 * A connection of Lettuce, which all threads share. Another one takes its place while it
 * is not open: Lettuce connects again by itself, but after a long outage waits for up to
 * half a minute before it does. It is also replaced when no call was answered for as long
 * as the longest waits: another server may be the master by now, while this one hangs.
 * <p>
 * In a cluster it is one connection to each node, so it stays whatever one node does: it
 * is replaced only if Lettuce's default node is away and no node at all has answered for
 * as long as the longest call waits, or if none answers here and all do elsewhere.
 */
final class LettuceLink implements Link, LettuceConnectionProvider {

	private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final AbstractRedisClient client;

	private final Supplier<StatefulConnection<byte[], byte[]>> source;

	private final StatefulConnection<byte[], byte[]> connection;

	private final long longestNanos;

	/** When anybody got an answer last. */
	private volatile long heardNanos;

	/**
	 * When the first call began that has timed out since then. Not later than
	 * {@link #heardNanos} if no call has.
	 */
	private volatile long unheardNanos;

	private volatile boolean closed;

	private final AtomicLong refreshedNanos = new AtomicLong(System.nanoTime() - REFRESH_NANOS);

	/**
	 * Create the link.
	 * @param longest the longest that a call waits for its answer
	 * @param source opens connections
	 */
	LettuceLink(AbstractRedisClient client, Duration longest, Supplier<StatefulConnection<byte[], byte[]>> source) {
		this.client = client;
		this.longestNanos = longest.toNanos();
		this.source = source;
		this.connection = source.get();
		this.heardNanos = System.nanoTime();
		this.unheardNanos = this.heardNanos;
	}

	@Override
	public boolean isOpen() {
		if (this.closed) {
			return false;
		}
		if (this.client instanceof RedisClusterClient) {
			return this.connection.isOpen() || System.nanoTime() - this.heardNanos < this.longestNanos;
		}
		long since = this.unheardNanos;
		return this.connection.isOpen()
				&& (since - this.heardNanos <= 0 || System.nanoTime() - since < this.longestNanos);
	}

	@Override
	public boolean isHeard(long since) {
		return this.heardNanos - since >= 0;
	}

	@Override
	public <T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command) {
		long start = System.nanoTime();
		try (RedisConnection waiting = new LettuceConnection((StatefulRedisConnection<byte[], byte[]>) null, this,
				limit.toMillis(), 0)) {
			T result = command.apply(waiting);
			this.heardNanos = System.nanoTime();
			return result;
		}
		catch (RuntimeException ex) {
			if (Link.has(ex, RedisCommandExecutionException.class)) {
				this.heardNanos = System.nanoTime();
				throw ex;
			}
			refresh();
			if (Link.has(ex, QueryTimeoutException.class)) {
				if (start - this.heardNanos > 0 && this.unheardNanos - this.heardNanos <= 0) {
					this.unheardNanos = start;
				}
				throw ex;
			}
			throw this.connection.isOpen() ? ex : new MaybeSentException(ex);
		}
	}

	/**
	 * Has Lettuce look which node is a master now, in the background. By itself it does
	 * not when a node hangs, nor when one died to which it had no connection yet.
	 */
	private void refresh() {
		long now = System.nanoTime();
		long last = this.refreshedNanos.get();
		if (this.client instanceof RedisClusterClient cluster && now - last >= REFRESH_NANOS
				&& this.refreshedNanos.compareAndSet(last, now)) {
			try {
				cluster.refreshPartitionsAsync();
			}
			catch (RuntimeException ex) {
				// What the call threw says more.
			}
		}
	}

	@Override
	public <T extends StatefulConnection<?, ?>> CompletionStage<T> getConnectionAsync(Class<T> type) {
		return CompletableFuture.completedFuture(type.cast(this.connection));
	}

	@Override
	public void release(StatefulConnection<?, ?> used) {
		// It stays open for the next one.
	}

	@Override
	public Iterable<RedisClusterNode> nodes() {
		return LettuceConverters.partitionsToClusterNodes(((RedisClusterClient) this.client).getPartitions());
	}

	@Override
	public void renew() {
		close();
	}

	@Override
	public void probe(BooleanSupplier silent) {
		StatefulConnection<byte[], byte[]> other = this.source.get();
		try {
			awaitAnswers(other);
			if (silent.getAsBoolean()) {
				close();
			}
		}
		finally {
			CompletableFuture<Void> unused = other.closeAsync();
		}
	}

	/**
	 * Waits for the server, or all masters of the cluster: while one hangs, connections
	 * to the others need not be dead.
	 */
	private void awaitAnswers(StatefulConnection<byte[], byte[]> other) {
		CompletableFuture<?>[] answers = (other instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster)
				? cluster.async().nodes(LettuceLink::isServing).commands().ping().futures()
				: new CompletableFuture<?>[] {
						((StatefulRedisConnection<byte[], byte[]>) other).async().ping().toCompletableFuture() };
		try {
			CompletableFuture.allOf(answers).orTimeout(this.longestNanos, TimeUnit.NANOSECONDS).join();
		}
		catch (CompletionException ex) {
			// A refusal is an answer.
			if (!Link.has(ex, RedisCommandExecutionException.class)) {
				throw ex;
			}
		}
	}

	private static boolean isServing(io.lettuce.core.cluster.models.partitions.RedisClusterNode node) {
		return node.is(NodeFlag.UPSTREAM) && !node.is(NodeFlag.FAIL) && !node.hasNoSlots();
	}

	@Override
	public void close() {
		this.closed = true;
		// Without waiting, as others wait for this.
		CompletableFuture<Void> unused = this.connection.closeAsync();
	}

}
