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

package io.holdfast.lock.internal.single;

import java.time.Duration;

import io.holdfast.lock.internal.driver.RedisConnections;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultScriptExecutor;

/**
 * Spring's template, which runs a script by its hash and by its text where the server
 * does not know it; on connections of the driver's, each call within a limit, and never
 * on the connection that Spring has bound to the calling thread.
 */
final class ScriptTemplate extends StringRedisTemplate {

	private final RedisConnections connections;

	private final Duration limit;

	ScriptTemplate(RedisConnections connections, Duration limit) {
		this.connections = connections;
		this.limit = limit;
		setScriptExecutor(new DefaultScriptExecutor<>(this));
	}

	@Override
	public <T extends @Nullable Object> T execute(RedisCallback<T> action, boolean exposeConnection, boolean pipeline) {
		return this.connections.call(this.limit, action::doInRedis);
	}

}
