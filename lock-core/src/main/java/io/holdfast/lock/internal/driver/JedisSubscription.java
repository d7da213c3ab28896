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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisException;

import org.springframework.data.redis.connection.DefaultMessage;

/**
 * A subscription of Jedis, on a connection that is closed with it. One that had a
 * subscription may have an answer under way, if it breaks or ends at the wrong moment; in
 * a pool, the next to borrow it would take that for its own.
 * <p>
 * A server that does not confirm it within {@link #PATIENCE} is left; from then on it may
 * be silent for as long as it likes.
 */
final class JedisSubscription implements RedisSubscription {

	/**
	 * How long to wait for a connection and for its confirmation.
	 */
	static final Duration PATIENCE = Duration.ofSeconds(2);

	private final Supplier<Jedis> source;

	private final byte[] channel;

	private final Listener listener;

	private volatile boolean ended;

	private volatile @Nullable Jedis current;

	JedisSubscription(Supplier<Jedis> source, byte[] channel, Listener listener) {
		this.source = source;
		this.channel = channel;
		this.listener = listener;
	}

	@Override
	public void listen() {
		Jedis jedis = this.source.get();
		this.current = jedis;
		try {
			if (!this.ended) {
				jedis.getConnection().setSoTimeout((int) PATIENCE.toMillis());
				listen(jedis.getConnection());
			}
		}
		finally {
			end();
		}
	}

	private void listen(Connection connection) {
		connection.sendCommand(Command.SUBSCRIBE, this.channel);
		// Looked at after each step that opens a closed socket anew, as Jedis does.
		while (!this.ended) {
			List<?> reply = (List<?>) connection.getOne();
			String kind = new String((byte[]) reply.get(0), StandardCharsets.US_ASCII);
			switch (kind) {
				case "subscribe" -> {
					this.listener.onChannelSubscribed(this.channel, 1);
					connection.setTimeoutInfinite();
				}
				case "message" ->
					this.listener.onMessage(new DefaultMessage(this.channel, (byte[]) reply.get(2)), null);
				default -> throw new IllegalStateException("Not what a subscription is told: " + kind);
			}
		}
	}

	/**
	 * Closes the socket, whatever another thread reads or writes there.
	 */
	@Override
	public void end() {
		this.ended = true;
		Jedis jedis = this.current;
		try {
			if (jedis != null) {
				jedis.disconnect();
			}
		}
		catch (JedisException ex) {
			// It is closed, though not cleanly.
		}
	}

}
