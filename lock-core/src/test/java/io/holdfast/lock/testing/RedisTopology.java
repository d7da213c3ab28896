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

package io.holdfast.lock.testing;

import java.util.List;

import org.springframework.data.redis.connection.RedisConfiguration;

/**
 * A Redis of one or more real servers that a test, or a program that tests, has started.
 * Ends with the JVM at the latest.
 */
public interface RedisTopology extends AutoCloseable {

	/**
	 * How drivers find it: a new object, to which a user may be added.
	 */
	RedisConfiguration configuration();

	/**
	 * The servers with data, masters and replicas, also those that do not run.
	 */
	List<RedisProcess> servers();

	/**
	 * The server that takes the writes of a key, as those see it that answer.
	 */
	RedisProcess masterOf(String key);

	/**
	 * Waits until all servers run, know each other, and have the same data.
	 */
	void awaitReady();

	@Override
	void close();

}
