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

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;

/**
 * Connections from some source, but never the one that Spring has bound to the calling
 * thread. Spring binds by factory, and to Spring this is another one.
 *
 * @param original the application's factory
 * @param source where connections come from
 */
record UnboundConnectionFactory(RedisConnectionFactory original,
		Supplier<RedisConnection> source) implements RedisConnectionFactory {

	UnboundConnectionFactory(RedisConnectionFactory original) {
		this(original, original::getConnection);
	}

	@Override
	public RedisConnection getConnection() {
		return this.source.get();
	}

	@Override
	public RedisClusterConnection getClusterConnection() {
		return this.original.getClusterConnection();
	}

	@Override
	public RedisSentinelConnection getSentinelConnection() {
		return this.original.getSentinelConnection();
	}

	@Override
	public boolean getConvertPipelineAndTxResults() {
		return this.original.getConvertPipelineAndTxResults();
	}

	@Override
	public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException ex) {
		return this.original.translateExceptionIfPossible(ex);
	}

}
