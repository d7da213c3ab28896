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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

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

	private final Opening<Opened> opening = new Opening<>(this::open);

	private final StringRedisTemplate template;

	private final AtomicLong refreshedNanos = new AtomicLong(System.nanoTime() - REFRESH_NANOS);

	private volatile @Nullable Opened opened;

	private volatile boolean closed;

	LettuceConnections(LettuceConnectionFactory original, Duration longest) {
		this.original = original;
		this.longest = Templates.shorter(longest, original.getClientConfiguration().getCommandTimeout());
		this.template = template(this.longest);
	}

	private StringRedisTemplate template(Duration limit) {
		return Templates
			.of(new UnboundConnectionFactory(this.original, () -> this.closed ? this.original.getConnection()
					: new LimitedConnection(commands(limit), Math.max(limit.toMillis(), 1))));
	}

	private RedisClusterAsyncCommands<byte[], byte[]> commands(Duration limit) {
		Opened present = this.opened;
		return ((present != null && present.isUsable()) ? present : this.opening.await(limit)).commands();
	}

	/**
	 * Gets a connection of the application's.
	 */
	private Opened open() {
		Opened before = this.opened;
		if (before != null) {
			if (before.isUsable()) {
				// Whoever asked for this had looked before the one before had ended.
				return before;
			}
			before.giveBack();
		}
		RedisConnection connection = this.original.getConnection();
		Opened now = new Opened(connection, ((LettuceConnection) connection).getNativeConnection(), System.nanoTime());
		this.opened = now;
		if (this.closed) {
			close();
		}
		return now;
	}

	@Override
	public <T extends @Nullable Object> T call(Duration limit, Function<StringRedisTemplate, T> command) {
		Servers.checkRunning(this.original);
		return command.apply((limit.compareTo(this.longest) < 0) ? template(limit) : this.template);
	}

	@Override
	public boolean isCluster(Duration limit) {
		return this.original.isClusterAware();
	}

	@Override
	public List<RedisClusterNode> clusterNodes(Duration limit) {
		if (!isCluster(limit)) {
			return List.of();
		}
		Servers.checkRunning(this.original);
		// Then the factory need not connect, for which it would wait without a limit.
		commands(Templates.shorter(this.longest, limit));
		RedisClusterConnection connection = this.original.getClusterConnection();
		List<RedisClusterNode> nodes = new ArrayList<>();
		connection.clusterGetNodes().forEach(nodes::add);
		connection.close();
		return nodes;
	}

	/**
	 * Has Lettuce look which node is a master now, in the background and at most once a
	 * second. By itself it does not when a node hangs, nor when one died to which it had
	 * no connection yet.
	 */
	@Override
	public void unanswered() {
		long now = System.nanoTime();
		long last = this.refreshedNanos.get();
		if (this.original.isRunning() && now - last >= REFRESH_NANOS && this.refreshedNanos.compareAndSet(last, now)
				&& this.original.getNativeClient() instanceof RedisClusterClient client) {
			client.refreshPartitionsAsync();
		}
	}

	@Override
	public boolean hasPipeline() {
		return this.original.isClusterAware();
	}

	/**
	 * Runs a script over the connection that is there. Spring's pipelines would open a
	 * new one for each batch, possibly to a server that hangs.
	 */
	@Override
	public List<Object> pipeline(Duration limit, RedisScript<?> script, List<ScriptCall> calls) {
		Servers.checkRunning(this.original);
		Duration time = Templates.shorter(this.longest, limit);
		RedisClusterAsyncCommands<byte[], byte[]> commands = commands(time);
		List<RedisFuture<Object>> sent = new ArrayList<>();
		for (ScriptCall call : calls) {
			byte[][] keys = call.keys().stream().map(LettuceConnections::encode).toArray(byte[][]::new);
			byte[][] args = call.args().stream().map(LettuceConnections::encode).toArray(byte[][]::new);
			sent.add(commands.evalsha(script.getSha1(), ScriptOutputType.MULTI, keys, args));
		}
		long deadline = System.nanoTime() + time.toNanos();
		List<Object> answers = new ArrayList<>();
		for (RedisFuture<Object> each : sent) {
			answers.add(await(each, deadline - System.nanoTime()));
		}
		return answers;
	}

	private static Object await(RedisFuture<Object> call, long nanos) {
		try {
			return decode(call.get(Math.max(nanos, 0), TimeUnit.NANOSECONDS));
		}
		catch (ExecutionException | TimeoutException ex) {
			return ex;
		}
		catch (InterruptedException ex) {
			throw new RedisCommandInterruptedException(ex);
		}
	}

	private static byte[] encode(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * What Spring's template makes of an answer.
	 */
	private static Object decode(Object answer) {
		if (answer instanceof List<?> answers) {
			return answers.stream().map(LettuceConnections::decode).toList();
		}
		return (answer instanceof byte[] text) ? new String(text, StandardCharsets.UTF_8) : answer;
	}

	void close() {
		this.closed = true;
		Opened present = this.opened;
		this.opened = null;
		if (present != null) {
			present.giveBack();
		}
	}

	/**
	 * A connection of the application's. If it is shared, to give it back changes
	 * nothing.
	 *
	 * @param connection Spring's connection
	 * @param commands what Lettuce can do with it
	 * @param openedNanos when it was there
	 */
	private record Opened(RedisConnection connection, RedisClusterAsyncCommands<byte[], byte[]> commands,
			long openedNanos) {

		boolean isUsable() {
			StatefulConnection<?, ?> stateful = (this.commands instanceof AbstractRedisAsyncCommands<?, ?> known)
					? known.getConnection() : null;
			if (stateful != null && stateful.isOpen()) {
				return true;
			}
			boolean closed = stateful instanceof RedisChannelHandler<?, ?> channel && channel.isClosed();
			return !closed && System.nanoTime() - this.openedNanos < RENEW_NANOS;
		}

		void giveBack() {
			this.connection.close();
		}

	}

	/**
	 * A connection that is not closed with this, and whose answers are waited for so
	 * long.
	 */
	private static final class LimitedConnection extends LettuceConnection {

		private static final LettuceConnectionProvider NO_OTHERS = new NoConnections();

		private final RedisClusterAsyncCommands<byte[], byte[]> commands;

		LimitedConnection(RedisClusterAsyncCommands<byte[], byte[]> commands, long millis) {
			super((StatefulRedisConnection<byte[], byte[]>) null, NO_OTHERS, millis, 0);
			this.commands = commands;
		}

		@Override
		protected RedisClusterAsyncCommands<byte[], byte[]> getAsyncDedicatedConnection() {
			return this.commands;
		}

	}

	private static final class NoConnections implements LettuceConnectionProvider {

		@Override
		public <T extends StatefulConnection<?, ?>> CompletionStage<T> getConnectionAsync(Class<T> connectionType) {
			return CompletableFuture.failedFuture(new UnsupportedOperationException("No other connections"));
		}

	}

}
