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
import java.util.Objects;

import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

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
	 * A node of a cluster.
	 * @param node as {@code host:port}
	 */
	static RedisStandaloneConfiguration node(String node, RedisConfiguration.WithAuthentication authentication) {
		int colon = node.lastIndexOf(':');
		if (colon < 0) {
			throw new IllegalStateException("No server of the cluster is known for this lock");
		}
		return of(new RedisNode(node.substring(0, colon), Integer.parseInt(node.substring(colon + 1))), authentication,
				0);
	}

	static RedisStandaloneConfiguration of(RedisNode node, RedisConfiguration.WithAuthentication authentication,
			int database) {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(Objects.requireNonNull(node.getHost()),
				Objects.requireNonNull(node.getPort()));
		server.setUsername(authentication.getUsername());
		server.setPassword(authentication.getPassword());
		server.setDatabase(database);
		return server;
	}

	/**
	 * The master as the sentinels see it now.
	 */
	static RedisStandaloneConfiguration master(RedisConnectionFactory original, RedisSentinelConfiguration sentinel) {
		String name = Objects.requireNonNull(sentinel.getMaster()).getName();
		try (RedisSentinelConnection connection = original.getSentinelConnection()) {
			RedisNode master = connection.masters()
				.stream()
				.filter((each) -> Objects.equals(each.getName(), name))
				.findFirst()
				.orElseThrow();
			return of(master, sentinel, sentinel.getDatabase());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
