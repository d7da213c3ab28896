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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConnection;

/**
 * Finds the addresses of the servers of an application's factory.
 */
final class Servers {

	private Servers() {
	}

	/**
	 * Checks that an application's factory runs.
	 * @throws IllegalStateException if it was not started, or was stopped
	 */
	static <F extends RedisConnectionFactory & SmartLifecycle> void checkRunning(F factory) {
		if (factory.isRunning()) {
			return;
		}
		try {
			factory.getConnection().close();
		}
		catch (IllegalStateException ex) {
			if (!String.valueOf(ex.getMessage()).contains("CREATED")) {
				throw ex;
			}
			throw new IllegalStateException("The connection factory was never started: make it a bean, "
					+ "or call its afterPropertiesSet() and start()");
		}
	}

	/**
	 * The nodes of a cluster, as a driver sees them.
	 */
	static List<RedisClusterNode> nodes(RedisClusterConnection connection) {
		List<RedisClusterNode> nodes = new ArrayList<>();
		connection.clusterGetNodes().forEach(nodes::add);
		return nodes;
	}

	/**
	 * The master as the sentinels see it now.
	 */
	static RedisNode master(RedisConnectionFactory original, RedisSentinelConfiguration sentinel) {
		String name = Objects.requireNonNull(sentinel.getMaster()).getName();
		try (RedisSentinelConnection connection = original.getSentinelConnection()) {
			return connection.masters()
				.stream()
				.filter((each) -> Objects.equals(each.getName(), name))
				.findFirst()
				.orElseThrow();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
