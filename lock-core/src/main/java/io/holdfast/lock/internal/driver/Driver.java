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

/**
 * What Jedis and Lettuce do differently.
 */
interface Driver {

	/**
	 * How long the application waits for an answer; 0 for ever.
	 */
	Duration timeout();

	boolean isCluster();

	/**
	 * Whether a pipeline of Spring's goes through the connections.
	 */
	boolean hasPipeline();

	/**
	 * How many requests may use connections at the same time.
	 */
	int mostRequests();

	/**
	 * Opens the way to Redis, which may take any time.
	 * @param longest how long to wait for anything
	 */
	Line open(Duration longest);

	/**
	 * Prepares a subscription.
	 * @param cluster tells the nodes, if it is a cluster
	 */
	RedisSubscription subscription(byte[] channel, RedisSubscription.Listener listener, RedisConnections cluster);

}
