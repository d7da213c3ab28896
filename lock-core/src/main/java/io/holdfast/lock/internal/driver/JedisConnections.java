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
import java.util.NoSuchElementException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A few connections to each server beside the application's pool, opened when first
 * needed: so whoever keeps all of the application's, which by default waits for one
 * without end, costs it no locks, and locks cost it none.
 */
final class JedisConnections implements RedisConnections {

	/*
	 * Why a call ends. A permit, a free connection in a pool and an answer are each
	 * waited for within its limit; where there are permits the pool has a connection for
	 * each, so that nobody waits there. To open the pools of a cluster, or behind
	 * sentinels, asks servers that may hang, so another thread does it.
	 *
	 * A dead connection is rarely alone: whatever ended it has ended those that were idle
	 * as well. So all idle ones are closed before the command runs again, and it gets one
	 * that was opened, or has worked, since. What another thread gives back meanwhile has
	 * worked.
	 *
	 * The pools are closed while the application's factory is stopped, and with the
	 * client. A call that this meets half-way runs again like one on a dead connection:
	 * on new pools, or, after the client was closed, through the application's factory.
	 */

	private final JedisConnectionFactory original;

	private final Duration longest;

	private final int size;

	private final boolean cluster;

	private final Semaphore permits;

	private final Opening<JedisPools> opening = new Opening<>(this::open);

	private final StringRedisTemplate template;

	private volatile @Nullable JedisPools pools;

	private volatile boolean closed;

	/**
	 * Create the connections, without opening any.
	 * @param longest how long to wait for anything at most
	 * @param size how many connections to each server there are at most
	 */
	JedisConnections(JedisConnectionFactory original, Duration longest, int size) {
		this.original = original;
		this.longest = Templates.shorter(longest, original.getClientConfiguration().getReadTimeout());
		this.size = size;
		this.cluster = original.isRedisClusterAware();
		this.permits = new Semaphore(size);
		this.template = template(this.longest);
	}

	private StringRedisTemplate template(Duration limit) {
		return Templates.of(new UnboundConnectionFactory(this.original, () -> connect(limit)));
	}

	private RedisConnection connect(Duration limit) {
		JedisPools opened = pools(limit);
		return (opened != null) ? opened.connect(limit) : this.original.getConnection();
	}

	/**
	 * The pools.
	 * @return the pools, or {@code null} if this is closed
	 */
	private @Nullable JedisPools pools(Duration limit) {
		JedisPools present = this.pools;
		return (present != null || this.closed) ? present : this.opening.await(limit);
	}

	@Override
	public <T extends @Nullable Object> T call(Duration limit, Function<StringRedisTemplate, T> command) {
		if (!this.original.isRunning()) {
			closePools();
			Servers.checkRunning(this.original);
		}
		StringRedisTemplate limited = (limit.compareTo(this.longest) < 0) ? template(limit) : this.template;
		if (this.cluster) {
			return callTwice(limited, command);
		}
		acquirePermit(Templates.shorter(this.longest, limit));
		try {
			return callTwice(limited, command);
		}
		finally {
			this.permits.release();
		}
	}

	private <T extends @Nullable Object> T callTwice(StringRedisTemplate limited,
			Function<StringRedisTemplate, T> command) {
		JedisPools used = this.pools;
		try {
			return command.apply(limited);
		}
		catch (RuntimeException ex) {
			boolean gone = used != null && used != this.pools && !Causes.isSilence(ex);
			if (used == null || !(gone || Causes.isDeadConnection(ex))) {
				throw ex;
			}
			if (used == this.pools) {
				used.forgetIdle();
			}
			try {
				return command.apply(limited);
			}
			catch (RuntimeException again) {
				// The first one was sent, whatever became of the second.
				throw Causes.isNotConnected(again) ? ex : again;
			}
		}
	}

	private void acquirePermit(Duration limit) {
		if (this.permits.tryAcquire()) {
			return;
		}
		try {
			if (!this.permits.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) {
				throw new RedisConnectionFailureException("No connection",
						new NoSuchElementException("all " + this.size + " are in use"));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RedisSystemException("Interrupted while it waited for a connection", ex);
		}
	}

	/**
	 * Has the connections opened, if need be, but waits a moment only.
	 * @return whether they can be used
	 */
	boolean isOpenWithin(Duration moment) {
		if (this.pools != null) {
			return true;
		}
		if (this.closed) {
			return false;
		}
		try {
			this.opening.awaitAtMost(moment);
			return true;
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	/**
	 * Opens the pools. One thread at a time does this.
	 */
	private JedisPools open() {
		JedisPools present = this.pools;
		if (present != null) {
			// Whoever asked for this had looked before the one before had ended.
			return present;
		}
		JedisPools opened = JedisPools.copyOf(this.original, this.longest, this.size);
		synchronized (this) {
			if (!this.closed) {
				this.pools = opened;
				return opened;
			}
		}
		opened.destroy();
		throw new IllegalStateException("The client was closed, its connections have been stopped");
	}

	@Override
	public boolean isCluster() {
		return this.cluster;
	}

	private void closePools() {
		JedisPools opened;
		synchronized (this) {
			opened = this.pools;
			this.pools = null;
		}
		if (opened != null) {
			opened.destroy();
		}
	}

	void close() {
		this.closed = true;
		closePools();
	}

}
