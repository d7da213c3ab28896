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
import java.util.NoSuchElementException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The connections of either driver: a {@link Line} that is opened when it is first
 * needed, and again when it is of no use any more. It is closed while the application's
 * factory is stopped, and with the client; whatever is called after that goes through the
 * application's factory.
 *
 * @param <F> the kind of the application's factory
 */
final class Connections<F extends RedisConnectionFactory & SmartLifecycle> implements RedisDriver {

	/** How often connections are made anew while a demoted master answers. */
	private static final long DEMOTED_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	/** How often masters are looked for while nobody answers. */
	private static final long UNANSWERED_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final F original;

	private final Driver driver;

	private final Duration longestRequest;

	private final Opening lines;

	private final RedisConnections requests;

	private final RedisConnections reserved;

	private final AtomicLong demotedNanos = new AtomicLong(System.nanoTime() - DEMOTED_NANOS);

	private final AtomicLong unansweredNanos = new AtomicLong(System.nanoTime() - UNANSWERED_NANOS);

	private volatile @Nullable RedisSubscription latest;

	/**
	 * Create the connections, without opening any.
	 */
	Connections(F original, Driver driver, Duration longestRequest) {
		this.original = original;
		this.driver = driver;
		this.longestRequest = longestRequest;
		Duration longest = shorter(longestRequest, driver.timeout());
		this.lines = new Opening(() -> driver.open(longest));
		this.requests = new Purpose(longest, new Semaphore(driver.mostRequests()));
		this.reserved = new Purpose(shorter(longestRenewal(), driver.timeout()), new Semaphore(Integer.MAX_VALUE));
	}

	/**
	 * The shorter of two times, of which the second may be 0 for none.
	 */
	static Duration shorter(Duration one, Duration other) {
		return (other.isZero() || other.isNegative() || one.compareTo(other) < 0) ? one : other;
	}

	@Override
	public Duration longestRequest() {
		return this.longestRequest;
	}

	@Override
	public RedisConnections requests() {
		return this.requests;
	}

	@Override
	public RedisConnections reserved() {
		return this.reserved;
	}

	@Override
	public RedisSubscription subscription(byte[] channel, RedisSubscription.Listener listener) {
		RedisSubscription subscription = this.driver.subscription(channel, listener, this.reserved);
		this.latest = subscription;
		return subscription;
	}

	private @Nullable Line line(Duration limit) {
		if (!this.original.isRunning()) {
			this.lines.discard();
			Servers.checkRunning(this.original);
		}
		return this.lines.await(limit);
	}

	@Override
	public void close() {
		this.lines.close();
	}

	/**
	 * Connections for one purpose.
	 */
	private final class Purpose implements RedisConnections {

		private final Duration longest;

		private final Semaphore permits;

		Purpose(Duration longest, Semaphore permits) {
			this.longest = longest;
			this.permits = permits;
		}

		@Override
		public <T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command) {
			Duration most = shorter(limit, this.longest);
			acquirePermit(most);
			try {
				Line line = line(most);
				if (line != null) {
					return line.call(most, command);
				}
				try (RedisConnection connection = Connections.this.original.getConnection()) {
					return command.apply(connection);
				}
			}
			finally {
				this.permits.release();
			}
		}

		private void acquirePermit(Duration limit) {
			try {
				if (!this.permits.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) {
					throw new NotSentException(new NoSuchElementException("all connections are in use"));
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new NotSentException(ex);
			}
		}

		@Override
		public boolean isCluster() {
			return Connections.this.driver.isCluster();
		}

		@Override
		public boolean hasPipeline() {
			return Connections.this.driver.hasPipeline();
		}

		@Override
		public List<RedisClusterNode> clusterNodes() {
			if (!isCluster()) {
				return List.of();
			}
			Line line = line(this.longest);
			if (line != null) {
				return line.nodes();
			}
			try (RedisClusterConnection connection = Connections.this.original.getClusterConnection()) {
				return Servers.nodes(connection);
			}
		}

		@Override
		public void unanswered() {
			Line line = Connections.this.lines.present();
			if (line != null && isDue(Connections.this.unansweredNanos, UNANSWERED_NANOS)) {
				line.unanswered();
			}
		}

		@Override
		public void demoted() {
			Line line = Connections.this.lines.present();
			if (line == null || !isDue(Connections.this.demotedNanos, DEMOTED_NANOS)) {
				return;
			}
			line.renew();
			RedisSubscription subscription = Connections.this.latest;
			if (subscription != null) {
				// So that the one who listens subscribes anew.
				subscription.end();
			}
		}

		/**
		 * Lets something happen once in a while only.
		 */
		private boolean isDue(AtomicLong lastNanos, long intervalNanos) {
			long now = System.nanoTime();
			long last = lastNanos.get();
			return now - last >= intervalNanos && lastNanos.compareAndSet(last, now);
		}

	}

}
