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
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * A connection of Jedis to one server: a pool that has no second one.
 */
final class DedicatedJedis implements DedicatedConnection {

	private final JedisPools pool;

	/**
	 * How long the application waits for an answer.
	 */
	private final Duration patience;

	DedicatedJedis(JedisPools pool, Duration patience) {
		this.pool = pool;
		this.patience = patience;
	}

	@Override
	public <T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command) {
		return Connections.use(this.pool.getConnection(), command);
	}

	@Override
	public long waitForReplicas(RedisConnection connection, int replicas, Duration timeout) {
		Duration longest = Connections.waitFor(timeout, this.patience);
		Jedis jedis = (Jedis) connection.getNativeConnection();
		int before = jedis.getConnection().getSoTimeout();
		JedisPools.setPatience(jedis, longest.plus(RedisDriver.LONGEST_REQUEST));
		long acknowledged = jedis.waitReplicas(replicas, longest.toMillis());
		JedisPools.setPatience(jedis, Duration.ofMillis(before));
		return acknowledged;
	}

	@Override
	public void close() {
		this.pool.destroy();
	}

}
