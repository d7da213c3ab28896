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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * A few connections to each server beside the application's pool, opened when first
 * needed. An application that uses up its own pool does not block locks, and locks take
 * nothing from that pool, in which by default one waits for a connection without limit.
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

	private final Semaphore permits;

	private final Opening<JedisPools> pools;

	private final Runnable onDemoted;

	private final AtomicLong demotedNanos = new AtomicLong(System.nanoTime() - Connections.ANEW_NANOS);

	/**
	 * Create the connections, without opening any.
	 * @param longest how long to wait for anything at most
	 * @param size how many connections to each server there are at most
	 * @param onDemoted what else to do when a server turns out to be no master any more
	 */
	JedisConnections(JedisConnectionFactory original, Duration longest, int size, Runnable onDemoted) {
		this.original = original;
		this.onDemoted = onDemoted;
		this.longest = Connections.shorter(longest, original.getClientConfiguration().getReadTimeout());
		this.size = size;
		this.permits = new Semaphore(size);
		this.pools = new Opening<>(() -> JedisPools.copyOf(original, this.longest, size), (opened) -> true,
				JedisPools::destroy);
	}

	@Override
	public <T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command) {
		if (!this.original.isRunning()) {
			this.pools.discard();
			Servers.checkRunning(this.original);
		}
		Duration most = Connections.shorter(limit, this.longest);
		if (isCluster()) {
			return callTwice(most, command);
		}
		acquirePermit(most);
		try {
			return callTwice(most, command);
		}
		finally {
			this.permits.release();
		}
	}

	private <T extends @Nullable Object> T callTwice(Duration limit, Function<RedisConnection, T> command) {
		JedisPools used = this.pools.present();
		try {
			return callOnce(limit, command);
		}
		catch (RuntimeException ex) {
			boolean gone = used != this.pools.present() && !Causes.isSilence(ex);
			if (used == null || !(gone || Causes.isDeadConnection(ex))) {
				// In a cluster Jedis may have sent it, and found no connection to send it
				// again.
				throw (isCluster() && Causes.any(ex, NoSuchElementException.class::isInstance))
						? new RepeatedCallException(ex) : ex;
			}
			if (!gone) {
				used.forgetIdle();
			}
			try {
				return callOnce(limit, command);
			}
			catch (RuntimeException again) {
				// The first one was sent, whatever became of the second.
				throw Causes.isNotConnected(again) ? ex : new RepeatedCallException(again);
			}
		}
	}

	private <T extends @Nullable Object> T callOnce(Duration limit, Function<RedisConnection, T> command) {
		JedisPools opened = this.pools.await(limit);
		return Connections.use((opened != null) ? opened.connect(limit) : this.original.getConnection(), command);
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
		try {
			return this.pools.awaitAtMost(moment) != null;
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	@Override
	public boolean isCluster() {
		return this.original.isRedisClusterAware();
	}

	@Override
	public void demoted() {
		JedisPools opened = this.pools.present();
		if (opened != null && Connections.isDue(this.demotedNanos, Connections.ANEW_NANOS)) {
			opened.forgetIdle();
			this.onDemoted.run();
		}
	}

	void close() {
		this.pools.close();
	}

}
