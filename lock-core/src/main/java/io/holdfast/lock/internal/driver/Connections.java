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
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The connections of either driver: a {@link Link} that is opened when it is first
 * needed, or ahead of that, and again when it is of no use any more. It is closed while
 * the application's factory is stopped, and with the client; each call after that has a
 * link of its own, if there ever was one. The application's factory is asked for none:
 * that may take its lock, for which the end of the application waits.
 * <p>
 * Drivers may take any time to open a link, so a thread of its own does that, and each
 * caller waits for it no longer than its own limit. After one that failed, callers are
 * told of that failure for a moment, however many they are. If one takes long, another
 * one is begun beside it, and the first that opens is used: the driver may be about to
 * give up one server for the next, or may never come back. A link is begun under the
 * monitor, and only if the present one is still the one that this caller found useless,
 * so concurrent callers begin just one. Whoever replaces a link that was open closes it.
 *
 * @param <F> the kind of the application's factory
 * @param <L> the kind of link
 */
abstract class Connections<F extends RedisConnectionFactory & SmartLifecycle, L extends Link> implements RedisDriver {

	/**
	 * The longest that a reserved call waits for its answer, unless requests wait longer.
	 * Many locks share a renewal, and nobody waits for it.
	 */
	private static final Duration LONGEST_RESERVED = Duration.ofSeconds(5);

	/** How long a link may take to open before another one is tried beside it. */
	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

	/** To open a link takes more steps than a call. */
	private static final Duration EXTRA = Duration.ofSeconds(1);

	/** How soon after a link that failed another one is begun. */
	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/** How long a link is kept at least, though it leads to a demoted master. */
	private static final long DEMOTED_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	final F original;

	private final Duration longestRequest;

	final Duration longestReserved;

	/** Written in the monitor. */
	private volatile @Nullable CompletableFuture<L> link;

	/** When that was begun. */
	private volatile long openedNanos;

	private final LinkProbes<L> probes;

	private volatile boolean closed;

	/**
	 * Create the connections, without opening any.
	 * @param timeout how long the application waits for an answer; 0 for ever
	 */
	Connections(F original, Duration timeout, Duration longestRequest) {
		this.original = original;
		this.longestRequest = shorter(longestRequest, timeout);
		boolean patient = longestRequest.compareTo(LONGEST_RESERVED) > 0;
		this.longestReserved = shorter(patient ? longestRequest : LONGEST_RESERVED, timeout);
		this.probes = new LinkProbes<>(this.longestRequest, (used) -> used == this.link && !this.closed);
	}

	/**
	 * The shorter of two times, of which the second may be 0 for none.
	 */
	static Duration shorter(Duration one, Duration other) {
		return (other.isZero() || other.isNegative() || one.compareTo(other) < 0) ? one : other;
	}

	/**
	 * Opens a link, which may take any time.
	 */
	abstract L connect();

	@Override
	public Duration longestRequest() {
		return this.longestRequest;
	}

	@Override
	public <T extends @Nullable Object> T call(boolean reserved, Function<RedisConnection, T> command) {
		if (!reserved) {
			return call(this.longestRequest, command);
		}
		CompletableFuture<Void> over = new CompletableFuture<>();
		this.probes.watch(this.link, over);
		try {
			return call(this.longestReserved, command);
		}
		finally {
			over.complete(null);
		}
	}

	final <T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command) {
		L open = link(limit);
		if (open != null) {
			try {
				return open.call(limit, command);
			}
			catch (RuntimeException ex) {
				// If the client was closed under it, a link of its own may do.
				throw this.closed ? new MaybeSentException(ex) : ex;
			}
		}
		CompletableFuture<L> late = begin();
		try {
			return await(late, limit).call(limit, command);
		}
		finally {
			CompletableFuture<Void> unused = late.thenAccept(Link::close);
		}
	}

	@Override
	public Iterable<RedisClusterNode> clusterNodes() {
		return isCluster() ? openLink().nodes() : List.of();
	}

	final L openLink() {
		return Objects.requireNonNull(link(this.longestRequest), "the client is closed");
	}

	/**
	 * What is open, once it is; {@code null} if the client was closed after it was begun.
	 * @throws NotSentException if that takes longer or fails, or if the client was closed
	 * before
	 */
	private @Nullable L link(Duration limit) {
		if (!this.original.isRunning()) {
			discard();
			throw new IllegalStateException("The connection factory was never started, or was stopped: make it a "
					+ "bean, or call its afterPropertiesSet() and start()");
		}
		CompletableFuture<L> current = this.link;
		if (current == null || isUseless(current)) {
			current = openInPlaceOf(current);
		}
		if (current == null) {
			throw new NotSentException(new QueryTimeoutException("no connection was open when the client was closed"));
		}
		L open = this.closed ? null : await(current, limit);
		// It may have been closed while it opened.
		return this.closed ? null : open;
	}

	private boolean isUseless(CompletableFuture<L> current) {
		long sinceNanos = System.nanoTime() - this.openedNanos;
		if (!current.isDone()) {
			return sinceNanos > PATIENCE_NANOS;
		}
		return current.isCompletedExceptionally() ? sinceNanos > PAUSE_NANOS : !current.join().isOpen();
	}

	final synchronized @Nullable CompletableFuture<L> openInPlaceOf(@Nullable CompletableFuture<L> useless) {
		CompletableFuture<L> current = this.link;
		if (!this.closed && (current == null || current == useless)) {
			this.openedNanos = System.nanoTime();
			CompletableFuture<L> next = begin();
			if (current != null && !current.isDone()) {
				next = firstOf(current, next);
			}
			else {
				discard();
			}
			this.link = next;
			return next;
		}
		return current;
	}

	private CompletableFuture<L> begin() {
		return CompletableFuture.supplyAsync(this::connect, Link::startThread);
	}

	private synchronized void discard() {
		CompletableFuture<L> before = this.link;
		if (before != null && !this.closed) {
			// Elsewhere, as that may take its time.
			CompletableFuture<Void> unused = before.thenAcceptAsync(Link::close, Link::startThread);
			this.link = null;
		}
	}

	@Override
	public void demoted() {
		CompletableFuture<L> current = this.link;
		if (current != null && current.isDone() && System.nanoTime() - this.openedNanos > DEMOTED_NANOS) {
			CompletableFuture<Void> unused = current.thenAccept(Link::renew);
		}
	}

	/** The link stays, to say that there was one. */
	@Override
	public void close() {
		CompletableFuture<L> last;
		synchronized (this) {
			last = this.closed ? null : this.link;
			this.closed = true;
		}
		if (last != null) {
			CompletableFuture<Void> unused = last.thenAccept(Link::close);
		}
	}

	/**
	 * Waits for a link or a connection, for so long and a moment more.
	 * @throws NotSentException if it is not open by then
	 */
	static <T> T await(CompletableFuture<T> opening, Duration limit) {
		Duration most = limit.plus(EXTRA);
		try {
			return opening.get(most.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			throw new NotSentException(new QueryTimeoutException("no connection within " + most.toMillis()
					+ "ms; if connecting takes so long, raise holdfast.lock.command-timeout", ex));
		}
		catch (ExecutionException ex) {
			throw new NotSentException(ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new NotSentException(ex);
		}
	}

	/**
	 * Whichever opens first; the other one is closed if it opens, too.
	 */
	private static <L extends Link> CompletableFuture<L> firstOf(CompletableFuture<L> one, CompletableFuture<L> other) {
		CompletableFuture<L> first = one.exceptionallyCompose((failure) -> other)
			.applyToEither(other.exceptionallyCompose((failure) -> one), Function.identity());
		for (CompletableFuture<L> each : List.of(one, other)) {
			CompletableFuture<Void> unused = each.thenAcceptBoth(first, (open, used) -> {
				if (open != used) {
					open.close();
				}
			});
		}
		return first;
	}

}
