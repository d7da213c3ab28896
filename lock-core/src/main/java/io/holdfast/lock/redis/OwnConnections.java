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

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;

/**
 * The application's connections, but never the one that Spring has bound to the calling
 * thread: a lock that is taken within a {@code MULTI} of the application would only be
 * queued there. Spring binds by factory, and to Spring this is another one.
 */
final class OwnConnections implements RedisConnectionFactory {

	private final Supplier<RedisConnectionFactory> source;

	private volatile @Nullable Shared shared;

	/**
	 * Create connections.
	 * @param source the application's factory, or one like it
	 */
	OwnConnections(Supplier<RedisConnectionFactory> source) {
		this.source = source;
	}

	@Override
	public RedisConnection getConnection() {
		RedisConnectionFactory factory = this.source.get();
		Shared known = this.shared;
		if (known != null && known.factory() == factory) {
			return known.connection();
		}
		RedisConnection connection = factory.getConnection();
		RedisConnection ofAll = Twin.JEDIS ? BorrowingJedis.of(connection) : null;
		if (ofAll == null) {
			return connection;
		}
		this.shared = new Shared(factory, ofAll);
		return ofAll;
	}

	/**
	 * Has the next connection made anew, after a call that failed: perhaps because the
	 * factory was stopped and started.
	 */
	void renew() {
		this.shared = null;
	}

	@Override
	public RedisClusterConnection getClusterConnection() {
		return this.source.get().getClusterConnection();
	}

	@Override
	public RedisSentinelConnection getSentinelConnection() {
		return this.source.get().getSentinelConnection();
	}

	@Override
	public boolean getConvertPipelineAndTxResults() {
		return this.source.get().getConvertPipelineAndTxResults();
	}

	@Override
	public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException ex) {
		return this.source.get().translateExceptionIfPossible(ex);
	}

	/**
	 * A connection that all threads share.
	 *
	 * @param factory where it comes from
	 * @param connection the connection
	 */
	private record Shared(RedisConnectionFactory factory, RedisConnection connection) {
	}

}
