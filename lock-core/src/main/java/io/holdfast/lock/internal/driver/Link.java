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
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * An open way to Redis, which all callers share.
 */
interface Link {

	/**
	 * Whether it still is of use. If not, the next call has another one opened.
	 */
	default boolean isOpen() {
		return true;
	}

	/**
	 * Whether anything was answered since then on a connection that all calls share.
	 */
	default boolean isHeard(long since) {
		return false;
	}

	/**
	 * Calls Redis on the calling thread.
	 * @param limit how long to wait for the answer
	 */
	<T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command);

	/**
	 * The nodes of a cluster.
	 */
	default Iterable<RedisClusterNode> nodes() {
		return List.of();
	}

	/**
	 * Leaves connections to a server that is no master any more. If it is of no use after
	 * that, the next call has another one opened.
	 */
	void renew();

	/**
	 * Gives up the connections from before, with the calls that wait there, if another
	 * one is answered.
	 * @param silent whether a call still has no answer
	 * @throws RuntimeException if the other one is not answered
	 */
	void probe(BooleanSupplier silent);

	void close();

	/**
	 * Whether something of these types was thrown, has caused it, or is suppressed: when
	 * Jedis gives up on a cluster, the reason is not the cause but suppressed.
	 */
	static boolean has(@Nullable Throwable thrown, Class<?>... types) {
		return thrown != null
				&& (Stream.of(types).anyMatch((each) -> each.isInstance(thrown)) || has(thrown.getCause(), types)
						|| Stream.of(thrown.getSuppressed()).anyMatch((each) -> has(each, types)));
	}

	/**
	 * Runs what may take any time.
	 */
	static void startThread(Runnable task) {
		Thread thread = new Thread(task, "holdfast-connect");
		thread.setDaemon(true);
		thread.start();
	}

}
