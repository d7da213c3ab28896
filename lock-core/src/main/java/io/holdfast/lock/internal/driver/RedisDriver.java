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

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * The connections of a lock client to one Redis, be it a server, one with Sentinel, or a
 * cluster. They are never those that Spring has bound to the calling thread: a lock that
 * is taken within a {@code MULTI} of the application would only be queued there.
 * <p>
 * Nothing is opened before it is needed.
 */
public interface RedisDriver {

	/**
	 * The longest that a request waits for its answer by default, or less if the
	 * application's time-out is shorter. Every script may run twice, so no answer in this
	 * time only means to ask again.
	 */
	Duration LONGEST_REQUEST = Duration.ofSeconds(1);

	/**
	 * The longest that a renewal waits for its answer, unless requests wait longer, or
	 * less if the application's time-out is shorter. Many locks share one, and nobody
	 * waits for it.
	 */
	Duration LONGEST_RENEWAL = Duration.ofSeconds(5);

	/**
	 * Finds the driver behind a connection factory.
	 * @param connectionFactory the application's
	 * @return the driver, with the default for the longest request
	 */
	static RedisDriver of(RedisConnectionFactory connectionFactory) {
		return of(connectionFactory, LONGEST_REQUEST);
	}

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
		if (!isPresent("org.springframework.data.redis.core.types.Expirations")) {
			throw new UnsupportedOperationException("Holdfast does not work with Spring Data Redis "
					+ RedisConnectionFactory.class.getPackage().getImplementationVersion()
					+ ". Supported are 3.5 to 4.1, with Jedis 6 to 8 or Lettuce 6.6 to 7.5");
		}
		if (isJedisPresent() && connectionFactory instanceof JedisConnectionFactory jedis) {
			return new Connections<>(jedis, new JedisDriver(jedis), longestRequest);
		}
		if (isLettucePresent() && connectionFactory instanceof LettuceConnectionFactory lettuce) {
			return new Connections<>(lettuce, new LettuceDriver(lettuce), longestRequest);
		}
		if (connectionFactory instanceof RedisDriver itself) {
			return itself;
		}
		throw new IllegalArgumentException("Holdfast needs a JedisConnectionFactory or a LettuceConnectionFactory: "
				+ "define one, beside Redisson as well, or mark it with @LockConnectionFactory. This is a "
				+ connectionFactory.getClass().getName());
	}

	private static boolean isJedisPresent() {
		return isPresent("redis.clients.jedis.Jedis") && isPresent("org.apache.commons.pool2.impl.GenericObjectPool");
	}

	private static boolean isLettucePresent() {
		return isPresent("io.lettuce.core.RedisClient");
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, RedisDriver.class.getClassLoader());
	}

	/**
	 * The longest that a request waits for its answer, unless the application's time-out
	 * is shorter.
	 * @return how long
	 */
	Duration longestRequest();

	/**
	 * The longest that a renewal waits for its answer, unless the application's time-out
	 * is shorter.
	 * @return how long
	 */
	default Duration longestRenewal() {
		return (longestRequest().compareTo(LONGEST_RENEWAL) > 0) ? longestRequest() : LONGEST_RENEWAL;
	}

	/**
	 * The connections for what a caller waits for.
	 * @return the connections
	 */
	RedisConnections requests();

	/**
	 * The connections for what keeps locks alive while requests, and the application, use
	 * all of theirs.
	 * @return the connections
	 */
	RedisConnections reserved();

	/**
	 * Prepares a subscription to a channel, in a cluster on any node, because they pass
	 * messages on to each other.
	 * @param channel the channel
	 * @param listener who is told of it and of its messages
	 * @return the subscription, not begun yet
	 */
	RedisSubscription subscription(byte[] channel, RedisSubscription.Listener listener);

	/**
	 * Closes what was opened here. Calls that come later go through the application's
	 * connections: a thread whose wait has ended with its client may still have to give
	 * back what it was granted.
	 */
	default void close() {
	}

}
