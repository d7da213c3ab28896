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
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A subscription of Jedis, on a connection that is closed with it. One that had a
 * subscription may have an answer under way, if it breaks or ends at the wrong moment; in
 * a pool, the next to borrow it would take that for its own.
 * <p>
 * A server that does not confirm it within {@link #PATIENCE} is left; from then on it may
 * be silent for as long as it likes.
 */
final class JedisSubscription implements RedisSubscription {

	/** However short other time-outs are. */
	static final Duration PATIENCE = Duration.ofSeconds(2);

	private final Supplier<Connection> source;

	private final List<String> channels;

	private final Listener listener;

	private volatile boolean ended;

	private volatile @Nullable Connection current;

	JedisSubscription(Supplier<Connection> source, List<String> channels, Listener listener) {
		this.source = source;
		this.channels = channels;
		this.listener = listener;
	}

	@Override
	public void listen() {
		Connection connection = this.source.get();
		this.current = connection;
		try {
			connection.setSoTimeout((int) PATIENCE.toMillis());
			connection.sendCommand(Command.SUBSCRIBE, this.channels.toArray(String[]::new));
			// Looked at after each step that opens a closed socket anew, as Jedis does.
			while (!this.ended) {
				Object told = ((List<?>) connection.getOne()).get(2);
				if (told instanceof byte[] message) {
					this.listener.onMessage(message);
				}
				else if (told instanceof Long count && count == this.channels.size()) {
					this.listener.onSubscribed();
					connection.setTimeoutInfinite();
				}
			}
		}
		finally {
			end();
			// Of a cluster it comes from a pool, which throws it away.
			connection.setBroken();
			connection.close();
		}
	}

	/**
	 * Closes the socket, whatever another thread reads or writes there.
	 */
	@Override
	public void end() {
		this.ended = true;
		Connection connection = this.current;
		try {
			if (connection != null) {
				connection.disconnect();
			}
		}
		catch (JedisException ex) {
			// It is closed, though not cleanly.
		}
	}

}
