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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Objects;

import io.holdfast.lock.internal.server.Topology;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * A connection factory for one purpose, thrown away with it, with the settings of the
 * application's. It leads to one server, the master where there are replicas, and a
 * connection of it never becomes another one: what breaks stays broken.
 */
public interface Twin {

	boolean JEDIS = isPresent("redis.clients.jedis.Jedis")
			&& isPresent("org.apache.commons.pool2.impl.GenericObjectPool");

	boolean LETTUCE = isPresent("io.lettuce.core.RedisClient");

	RedisConnectionFactory factory();

	/**
	 * Waits until replicas have what a connection has written.
	 * @param replicas how many
	 * @param timeout how long to wait; less if the driver would not wait so long
	 * @return how many have it
	 */
	long waitForReplicas(RedisConnection connection, int replicas, Duration timeout);

	void destroy();

	/**
	 * Makes a twin that leads to a master.
	 * @param original a factory that {@link #canBeOf can have a twin}
	 * @param node which one of a cluster, as {@link Topology#nodeOf} names it
	 */
	static Twin to(RedisConnectionFactory original, String node) {
		return (JEDIS && original instanceof JedisConnectionFactory jedis) ? JedisTwin.to(jedis, node)
				: LettuceTwin.to((LettuceConnectionFactory) original, node);
	}

	/**
	 * Whether {@link #to} can make a twin.
	 */
	static boolean canBeOf(RedisConnectionFactory original) {
		return (JEDIS && original instanceof JedisConnectionFactory)
				|| (LETTUCE && original instanceof LettuceConnectionFactory);
	}

	/**
	 * Whether a factory was given a list of servers, of which the driver finds the
	 * master: {@link #to} does not know the list.
	 */
	static boolean isOfListedServers(RedisConnectionFactory original) {
		return LETTUCE && original instanceof LettuceConnectionFactory lettuce
				&& LettuceTwin.isOfListedServers(lettuce);
	}

	/**
	 * Where a node of a cluster is.
	 */
	static RedisStandaloneConfiguration server(String node, RedisConfiguration.WithAuthentication authentication) {
		int colon = node.lastIndexOf(':');
		if (colon < 0) {
			throw new IllegalStateException("No server of the cluster is known for this lock");
		}
		return server(new RedisNode(node.substring(0, colon), Integer.parseInt(node.substring(colon + 1))),
				authentication, 0);
	}

	static RedisStandaloneConfiguration server(RedisNode node, RedisConfiguration.WithAuthentication authentication,
			int database) {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(Objects.requireNonNull(node.getHost()),
				node.getRequiredPort());
		server.setUsername(authentication.getUsername());
		server.setPassword(authentication.getPassword());
		server.setDatabase(database);
		return server;
	}

	/**
	 * The master as the sentinels see it now.
	 */
	static RedisStandaloneConfiguration master(RedisConnectionFactory original, RedisSentinelConfiguration sentinel) {
		String name = sentinel.getRequiredMaster().getName();
		try (RedisSentinelConnection connection = original.getSentinelConnection()) {
			RedisNode master = connection.masters()
				.stream()
				.filter((each) -> Objects.equals(each.getName(), name))
				.findFirst()
				.orElseThrow();
			return server(master, sentinel, sentinel.getDatabase());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * How long to have the server wait, so that the driver does not give up before.
	 * @param patienceMillis how long the driver waits for an answer, or 0 for ever
	 */
	static long waitMillis(Duration timeout, long patienceMillis) {
		return (patienceMillis > 0) ? Math.min(timeout.toMillis(), patienceMillis * 3 / 4) : timeout.toMillis();
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, Twin.class.getClassLoader());
	}

}
