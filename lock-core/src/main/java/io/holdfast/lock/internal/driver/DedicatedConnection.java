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

import org.springframework.data.redis.connection.RedisConnection;

/**
 * A connection to one server, which nobody else uses and which never becomes another one:
 * what breaks stays broken. Replicas acknowledge only what their own connection has
 * written, and on a new one, which has written nothing, they would have all of it at
 * once.
 */
public interface DedicatedConnection extends RedisConnections {

	/**
	 * Waits until replicas have what this connection has written.
	 * @param connection this connection, within a call
	 * @param replicas how many
	 * @param timeout how long to wait; less if the application's time-out is not much
	 * longer
	 * @return how many have it
	 */
	long waitForReplicas(RedisConnection connection, int replicas, Duration timeout);

	void close();

}
