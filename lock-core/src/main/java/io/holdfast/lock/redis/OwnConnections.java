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
 *
 * @param source the application's factory, or one like it
 */
public record OwnConnections(Supplier<RedisConnectionFactory> source) implements RedisConnectionFactory {

	@Override
	public RedisConnection getConnection() {
		RedisConnection connection = this.source.get().getConnection();
		return Twin.JEDIS ? BorrowingJedis.of(connection) : connection;
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

}
