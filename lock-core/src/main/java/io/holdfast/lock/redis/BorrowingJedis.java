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

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnection;

/**
 * A connection to Redis by a Jedis that borrows one from its pool for each command: it
 * keeps nothing between two commands, so there is nothing to close, and all threads can
 * share it. That of Spring Data Redis 4.1.0 is made anew for each use, which looks two
 * loggers up, and throws and swallows an exception whenever it is closed.
 */
final class BorrowingJedis extends JedisConnection {

	private BorrowingJedis(UnifiedJedis jedis) {
		super(jedis);
	}

	/**
	 * Makes one of a connection.
	 * @return the same for all threads, or {@code null} if the connection is of another
	 * kind
	 */
	static @Nullable RedisConnection of(RedisConnection connection) {
		boolean borrows = connection.getClass() == JedisConnection.class
				&& connection.getNativeConnection() instanceof UnifiedJedis;
		return borrows ? new BorrowingJedis((UnifiedJedis) connection.getNativeConnection()) : null;
	}

	@Override
	public void close() {
		// Nothing is open.
	}

}
