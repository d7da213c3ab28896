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

package io.holdfast.lock.autoconfigure;

import java.util.List;

import io.holdfast.lock.interceptor.LockStartUpException;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The servers that locks are on: the application's Redis, unless another module has a
 * bean of this type.
 */
@FunctionalInterface
public interface LockServers {

	/**
	 * Returns where connections come from.
	 * @return one for each server
	 */
	List<RedisConnectionFactory> connectionFactories();

	/**
	 * Starts to describe a client whose locks are on these servers. The default supports
	 * exactly one server.
	 * @return the builder
	 */
	default RedisLockClientBuilder clientBuilder() {
		List<RedisConnectionFactory> servers = connectionFactories();
		if (servers.size() != 1) {
			throw new LockStartUpException("LockServers names " + servers.size() + " servers.",
					"Override clientBuilder(), which says how locks are on several.");
		}
		return RedisLockClient.builder(servers.get(0));
	}

	/**
	 * Returns which commands scripts call on these servers besides those of all locks.
	 * Default none.
	 * @return their names; the check at the start calls them without arguments
	 */
	default List<String> commands() {
		return List.of();
	}

	/**
	 * Finds the application's Redis.
	 * @param marked those with {@link LockConnectionFactory}
	 * @param all all, marked or not
	 * @return the one that is marked, or the only one
	 */
	static RedisConnectionFactory ofApplication(ObjectProvider<RedisConnectionFactory> marked,
			ObjectProvider<RedisConnectionFactory> all) {
		return marked.getIfAvailable(all::getObject);
	}

}
