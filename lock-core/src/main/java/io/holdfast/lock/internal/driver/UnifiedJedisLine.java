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

import java.util.Set;

import redis.clients.jedis.RedisClusterClient;

/**
 * What exists since Spring Data Redis 4.1 and Jedis 7 only: factories whose connections
 * to a cluster are a {@code RedisClusterClient}. {@link JedisDriver} touches this class
 * only where they are.
 */
final class UnifiedJedisLine {

	private UnifiedJedisLine() {
	}

	/**
	 * The nodes of a cluster.
	 * @param client what a connection of a factory leads to
	 */
	static Set<String> nodes(Object client) {
		return (client instanceof RedisClusterClient cluster) ? cluster.getClusterNodes().keySet() : Set.of();
	}

}
