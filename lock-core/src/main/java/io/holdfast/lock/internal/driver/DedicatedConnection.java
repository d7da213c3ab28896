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
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A connection to one server, which nobody else uses and which never becomes another one:
 * what breaks stays broken. Replicas acknowledge only what their own connection has
 * written, and on a new one, which has written nothing, they would have all of it at
 * once.
 */
public final class DedicatedConnection implements RedisConnections {

	private final RedisConnectionFactory factory;

	private final Runnable end;

	private final Wait wait;

	/**
	 * How long the application waits for an answer, or 0 without limit.
	 */
	private final Duration patience;

	/**
	 * Create a connection.
	 * @param factory gives it, and no other
	 * @param end closes the factory
	 */
	DedicatedConnection(RedisConnectionFactory factory, Runnable end, Wait wait, Duration patience) {
		this.factory = factory;
		this.end = end;
		this.wait = wait;
		this.patience = patience;
	}

	@Override
	public <T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command) {
		return Connections.use(this.factory.getConnection(), command);
	}

	/**
	 * Waits until replicas have what this connection has written.
	 * @param connection this connection, within a call
	 * @param replicas how many
	 * @param timeout how long to wait, but three quarters of the application's time-out
	 * at most, or the driver could give up before the answer
	 * @return how many have it
	 */
	public long waitForReplicas(RedisConnection connection, int replicas, Duration timeout) {
		Duration longest = Connections.shorter(timeout, this.patience.multipliedBy(3).dividedBy(4));
		return this.wait.forReplicas(connection, replicas, longest);
	}

	public void close() {
		this.end.run();
	}

	/**
	 * How a driver sends {@code WAIT}, which takes longer than other commands.
	 */
	interface Wait {

		long forReplicas(RedisConnection connection, int replicas, Duration timeout);

	}

}
