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

import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.IOUtils;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnection;

/**
 * A few connections to one server beside the application's pool, opened by those who need
 * them. An application that uses up its own pool does not block locks, and locks take
 * nothing from that pool, in which by default one waits for a connection without limit.
 * <p>
 * A connection belongs to the one call that took it, and comes back only with nothing
 * under way on it: whatever broke, timed out or ended with an {@code Error} is closed. If
 * one connection breaks, the idle ones are probably broken too, so all are closed.
 */
final class JedisServer implements JedisLink {

	private static final long LONGEST_IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final Address address;

	private final JedisClientConfig config;

	/** The latest that was used comes first. */
	private final Deque<Kept> idle = new ConcurrentLinkedDeque<>();

	/** Those of all connections, in use or idle, and when each was opened. */
	private final Map<Socket, Long> sockets = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/**
	 * Create the pool, without opening a connection.
	 * @param address where the server is now; connections to another one are not used
	 */
	JedisServer(Address address, JedisClientConfig config) {
		this.address = address;
		this.config = config;
	}

	@Override
	public <T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command) {
		Kept used = take(limit);
		try {
			used.jedis.getConnection().setSoTimeout((int) limit.toMillis());
			return command.apply(used.connection);
		}
		catch (RuntimeException ex) {
			if (!used.jedis.isBroken()) {
				throw ex;
			}
			closeIdle();
			throw Link.has(ex, SocketTimeoutException.class) ? ex : new MaybeSentException(ex);
		}
		catch (Error ex) {
			used.jedis.getConnection().setBroken();
			throw ex;
		}
		finally {
			giveBack(used);
		}
	}

	private Kept take(Duration limit) {
		HostAndPort now = this.address.get();
		Kept kept = this.idle.pollFirst();
		if (kept != null && kept.isOfUse(now)) {
			return kept;
		}
		if (kept != null) {
			close(kept);
			closeIdle();
		}
		return open(now, limit);
	}

	/**
	 * Opens one elsewhere: a host's name may take any time, and so may several addresses
	 * of it.
	 */
	private Kept open(HostAndPort now, Duration limit) {
		CompletableFuture<Kept> opening = CompletableFuture.supplyAsync(() -> open(now), Link::startThread);
		try {
			return Connections.await(opening, limit);
		}
		catch (NotSentException ex) {
			this.address.doubt();
			CompletableFuture<Void> unused = opening.thenAccept(this::giveBack);
			throw ex;
		}
	}

	// What 4.1 would rather have is not in 3.5.
	@SuppressWarnings("removal")
	private Kept open(HostAndPort now) {
		long began = System.nanoTime();
		Socket socket = new DefaultJedisSocketFactory(now, this.config).createSocket();
		// Once it is closed, Jedis gets no other one: that would be in another database.
		Jedis jedis = new Jedis(() -> socket, this.config);
		this.sockets.put(socket, began);
		return new Kept(jedis, socket, new JedisConnection(jedis, null, jedis.getDB()), now, 0);
	}

	/** Of those that were opened too late, too, the next calls may have some. */
	private void giveBack(Kept used) {
		if (used.jedis.isBroken() || this.idle.size() >= JedisDriver.MOST_REQUESTS + JedisDriver.RESERVED) {
			close(used);
			return;
		}
		this.idle.addFirst(new Kept(used.jedis, used.socket, used.connection, used.address, System.nanoTime()));
		if (this.closed) {
			closeIdle();
		}
	}

	private void close(Kept connection) {
		this.sockets.remove(connection.socket);
		IOUtils.closeQuietly(connection.socket);
	}

	@Override
	public void renew() {
		this.address.doubt();
		closeIdle();
	}

	private void closeIdle() {
		for (Kept each = this.idle.poll(); each != null; each = this.idle.poll()) {
			close(each);
		}
	}

	@Override
	public void probe(BooleanSupplier silent) {
		long began = System.nanoTime();
		Kept other = open(this.address.get());
		try {
			ping(other.jedis);
			if (silent.getAsBoolean()) {
				closeIdle();
				// Ends the calls that wait for an answer.
				this.sockets.forEach((socket, opened) -> {
					if (opened - began < 0) {
						this.sockets.remove(socket);
						IOUtils.closeQuietly(socket);
					}
				});
			}
		}
		finally {
			close(other);
		}
	}

	private static void ping(Jedis jedis) {
		try {
			jedis.ping();
		}
		catch (JedisDataException ex) {
			// A refusal is an answer.
		}
	}

	@Override
	public Connection connect(String key) {
		return new Jedis(this.address.get(), this.config).getConnection();
	}

	/**
	 * Closes what is idle, and what is in use when it comes back.
	 */
	@Override
	public void close() {
		this.closed = true;
		closeIdle();
		this.address.close();
	}

	/**
	 * Where the server is.
	 */
	interface Address extends Supplier<HostAndPort> {

		/**
		 * There may be another one: no connection was made, or this one is no master.
		 */
		default void doubt() {
		}

		default void close() {
		}

	}

	/**
	 * A connection.
	 *
	 * @param sinceNanos when it was used last
	 */
	private record Kept(Jedis jedis, Socket socket, RedisConnection connection, HostAndPort address, long sinceNanos) {

		/**
		 * Not if there is another master, or whatever is between may have forgotten it.
		 */
		boolean isOfUse(HostAndPort now) {
			return !this.socket.isClosed() && this.address.equals(now)
					&& System.nanoTime() - this.sinceNanos < LONGEST_IDLE_NANOS;
		}

	}

}
