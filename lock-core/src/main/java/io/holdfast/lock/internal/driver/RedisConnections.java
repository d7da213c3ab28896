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

/**
 * Connections for one purpose.
 */
public interface RedisConnections {

	/**
	 * Calls Redis on the calling thread, within a limit. Nothing here sends it again, but
	 * a driver may do so by itself; so whatever it sends must be fit to run twice.
	 * <p>
	 * To open a connection may take as long again. In a cluster Jedis goes through up to
	 * three nodes, each of which may take the limit.
	 * @param limit how long to wait for a free connection and for each answer; what is
	 * longer than these connections ever wait does not count
	 * @param command what to do; the connection is only its own while it runs
	 * @param <T> the type of its result
	 * @return its result
	 * @throws NotSentException if there was no connection
	 * @throws MaybeSentException if the connection turned out to be dead: the server was
	 * started again, or has closed it while it was idle
	 * @throws RuntimeException whatever else the driver and Spring throw
	 */
	<T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command);

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
	default List<RedisClusterNode> clusterNodes() {
		return List.of();
	}

	/**
	 * Whether a pipeline of Spring's goes through these connections.
	 * @return whether it does
	 */
	default boolean hasPipeline() {
		return false;
	}

	/**
	 * A call got no answer: perhaps another node is the master by now.
	 */
	default void unanswered() {
	}

	/**
	 * Takes in that a server which is no master any more has answered: connects and
	 * subscribes anew, because the same address may lead to another server by now.
	 */
	default void demoted() {
	}

}
