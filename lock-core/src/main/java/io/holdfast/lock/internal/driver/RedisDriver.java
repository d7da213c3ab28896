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
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * The connections of a lock client to one Redis, be it a server, one with Sentinel, or a
 * cluster. They are never those that Spring has bound to the calling thread: a lock that
 * is taken within a {@code MULTI} of the application would only be queued there.
 * <p>
 * Nothing is opened before it is needed, but for what opens ahead with a subscription.
 */
public interface RedisDriver {

	/**
	 * The longest that a request waits for its answer by default, or less if the
	 * application's time-out is shorter. Every script may run twice, so no answer in this
	 * time only means to ask again.
	 */
	Duration LONGEST_REQUEST = Duration.ofSeconds(1);

	/**
	 * Finds the driver behind a connection factory.
	 * @param connectionFactory the application's
	 * @param longestRequest the longest that a request waits for its answer, or less if
	 * the application's time-out is shorter
	 * @return the driver
	 * @throws IllegalArgumentException if there is none for that kind of factory
	 * @throws UnsupportedOperationException if Spring Data Redis is too old
	 */
	static RedisDriver of(RedisConnectionFactory connectionFactory, Duration longestRequest) {
		if (!ClassUtils.isPresent("org.springframework.data.redis.core.types.Expirations",
				RedisDriver.class.getClassLoader())) {
			throw new UnsupportedOperationException("Holdfast does not work with Spring Data Redis "
					+ RedisConnectionFactory.class.getPackage().getImplementationVersion()
					+ ". Supported are 3.5 to 4.1, with Jedis 6 to 8 or Lettuce 6.6 to 7.5");
		}
		if (connectionFactory instanceof JedisConnectionFactory jedis) {
			return new JedisDriver(jedis, longestRequest);
		}
		if (connectionFactory instanceof LettuceConnectionFactory lettuce) {
			return new LettuceDriver(lettuce, longestRequest);
		}
		if (connectionFactory instanceof RedisDriver itself) {
			return itself;
		}
		throw new IllegalArgumentException("Holdfast needs a JedisConnectionFactory or a LettuceConnectionFactory: "
				+ "define one, beside Redisson as well, or mark it with @LockConnectionFactory. This is a "
				+ connectionFactory.getClass().getName());
	}

	/**
	 * The longest that a request waits for its answer.
	 * @return how long
	 */
	Duration longestRequest();

	/**
	 * Calls Redis on the calling thread. Nothing here sends it again, but a driver may do
	 * so by itself; so whatever it sends must be fit to run twice.
	 * <p>
	 * A call waits for {@link #longestRequest} for its answer; a reserved one for 5 s, or
	 * for that if it is longer, or less if the application's time-out is shorter. If a
	 * connection has to be opened first, that may take as long again and a second more.
	 * In a cluster Jedis goes through up to three nodes, each of which may take a
	 * request's time.
	 * @param reserved whether it has a connection, and more time, while requests and the
	 * application use all of theirs: for renewals, and what else nobody waits for
	 * @param command what to do; the connection is only its own while it runs
	 * @param <T> the type of its result
	 * @return its result
	 * @throws NotSentException if there was no connection
	 * @throws MaybeSentException if the connection was dead: the server was started
	 * again, has closed it while it was idle, or answers only on new ones
	 * @throws RuntimeException whatever else the driver and Spring throw
	 */
	<T extends @Nullable Object> T call(boolean reserved, Function<RedisConnection, T> command);

	/**
	 * Whether Redis is a cluster.
	 * @return whether it is
	 */
	default boolean isCluster() {
		return false;
	}

	/**
	 * The nodes of the cluster as the driver sees them, which may ask the cluster; none
	 * if Redis is no cluster.
	 * @return the nodes
	 */
	default Iterable<RedisClusterNode> clusterNodes() {
		return List.of();
	}

	/**
	 * Leaves the connections that there are, as a server that is no master any more has
	 * answered: the same address may lead to another one by now.
	 */
	default void demoted() {
	}

	/**
	 * Prepares a subscription to channels on one connection, in a cluster to the master
	 * of the slot that the first one would have as a key: nodes pass messages on to each
	 * other.
	 * @param channels the channels, of which the last one is confirmed last
	 * @param listener who is told of it and of its messages
	 * @return the subscription, not begun yet
	 */
	RedisSubscription subscription(List<String> channels, RedisSubscription.Listener listener);

	/**
	 * Closes what was opened here. If anything was, each call that comes later has a
	 * connection of its own: a thread whose wait has ended with its client may still have
	 * to give back what it was granted. Else they are not sent.
	 */
	default void close() {
	}

}
