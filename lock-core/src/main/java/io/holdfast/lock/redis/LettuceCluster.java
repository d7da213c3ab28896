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

package io.holdfast.lock.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * What Lettuce can do with a cluster beyond Spring's interface.
 */
public final class LettuceCluster {

	private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final LettuceConnectionFactory factory;

	private final AtomicLong refreshedNanos = new AtomicLong(System.nanoTime() - REFRESH_NANOS);

	private LettuceCluster(LettuceConnectionFactory factory) {
		this.factory = factory;
	}

	/**
	 * The cluster to which a factory leads.
	 * @return the cluster, or {@code null} if it is none or the factory not one of
	 * Lettuce
	 */
	public static @Nullable LettuceCluster of(RedisConnectionFactory factory) {
		return (factory instanceof LettuceConnectionFactory lettuce && lettuce.isClusterAware())
				? new LettuceCluster(lettuce) : null;
	}

	/**
	 * Has Lettuce look which node is a master now, in the background and at most once a
	 * second. By itself it does not when a node hangs, nor when one died to which it had
	 * no connection yet.
	 */
	public void refresh() {
		long now = System.nanoTime();
		long last = this.refreshedNanos.get();
		if (now - last >= REFRESH_NANOS && this.refreshedNanos.compareAndSet(last, now)
				&& this.factory.getNativeClient() instanceof RedisClusterClient client) {
			client.refreshPartitionsAsync();
		}
	}

	/**
	 * Runs a script that the servers know already, without waiting for one answer before
	 * the next call, over the connection that Lettuce shares among all threads. Spring's
	 * pipelines would open a new one for each batch, possibly to a server that hangs.
	 * @return for each call its answer, or what was thrown
	 */
	public List<Object> run(RedisConnection connection, RedisScript<?> script, List<? extends ScriptCall> calls) {
		RedisClusterAsyncCommands<byte[], byte[]> commands = ((LettuceConnection) connection).getNativeConnection();
		List<RedisFuture<Object>> sent = new ArrayList<>();
		for (ScriptCall call : calls) {
			byte[][] keys = call.keys().stream().map(LettuceCluster::encode).toArray(byte[][]::new);
			byte[][] args = call.args().stream().map(LettuceCluster::encode).toArray(byte[][]::new);
			sent.add(commands.evalsha(script.getSha1(), ScriptOutputType.MULTI, keys, args));
		}
		long deadline = System.nanoTime() + this.factory.getClientConfiguration().getCommandTimeout().toNanos();
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
			return answers.stream().map(LettuceCluster::decode).toList();
		}
		return (answer instanceof byte[] text) ? new String(text, StandardCharsets.UTF_8) : answer;
	}

	/**
	 * One run of a script.
	 */
	public interface ScriptCall {

		List<String> keys();

		List<String> args();

	}

}
