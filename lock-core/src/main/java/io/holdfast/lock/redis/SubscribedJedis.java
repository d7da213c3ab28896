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

import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Throws a Jedis connection away that had a subscription, so that it never goes back into
 * the application's pool. Spring's way of closing it sends an {@code UNSUBSCRIBE} after
 * the connection broke; that makes Jedis connect again and look well, with an answer
 * under way that the next to borrow it takes for its own.
 */
final class SubscribedJedis {

	private SubscribedJedis() {
	}

	/**
	 * Throws a connection away. A {@link UnifiedJedis} has borrowed one for the
	 * subscription and has given it back already when that ended: it is another's now,
	 * and there is nothing to close.
	 * @return whether it was one of Jedis
	 */
	static boolean discard(RedisConnection connection) {
		if (connection.getNativeConnection() instanceof Jedis jedis) {
			jedis.getConnection().setBroken();
			jedis.close();
			return true;
		}
		return connection.getNativeConnection() instanceof UnifiedJedis;
	}

}
