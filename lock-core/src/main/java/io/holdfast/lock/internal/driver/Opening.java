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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisSystemException;

/**
 * A connection, or a pool of them, that is opened when it is first needed. All callers
 * share it until it is not usable any more; the next one that needs it then has it opened
 * again. Drivers may take any time to open it, so a thread of its own does that, never
 * two at once, and each caller waits for that thread no longer than its own limit.
 *
 * @param <T> what is opened
 */
final class Opening<T> {

	private static final Duration EXTRA = Duration.ofSeconds(1);

	private static final String NEVER_OPEN = "no connection was open when the client was closed";

	private final Supplier<T> source;

	private final Predicate<T> isUsable;

	private final Consumer<T> end;

	private volatile @Nullable T present;

	private volatile boolean closed;

	/** Whether there was nothing when this was closed. Guarded by the monitor. */
	private boolean neverOpen;

	/** Guarded by the monitor. */
	private @Nullable CompletableFuture<@Nullable T> underWay;

	/** The thread that opens it. Guarded by the monitor. */
	private @Nullable Thread opener;

	/**
	 * Prepare to open something.
	 * @param source opens it
	 * @param isUsable whether what was opened is still usable
	 * @param end closes it
	 */
	Opening(Supplier<T> source, Predicate<T> isUsable, Consumer<T> end) {
		this.source = source;
		this.isUsable = isUsable;
		this.end = end;
	}

	/**
	 * What is open, be it of use or not; {@code null} if nothing is.
	 */
	@Nullable T present() {
		return this.present;
	}

	/**
	 * Has it opened, if need be, and waits for that. It takes more steps than a call on a
	 * connection that is there, so there is {@link #EXTRA} time for it.
	 * @param limit how long the caller can wait for a call
	 * @return what is open, or {@code null} if this was closed while something was open
	 * @throws QueryTimeoutException if that takes longer, or if this was closed before
	 * anything was open
	 * @throws RuntimeException what the source has thrown
	 */
	@Nullable T await(Duration limit) {
		return awaitAtMost(limit.plus(EXTRA));
	}

	@Nullable T awaitAtMost(Duration most) {
		T usable = usable();
		if (usable != null || isClosed()) {
			return usable;
		}
		try {
			return begin().get(most.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			throw new QueryTimeoutException("no connection within " + most.toMillis() + "ms", ex);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RuntimeException cause) {
				throw cause;
			}
			throw new RedisSystemException("It could not be opened", ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RedisSystemException("Interrupted while a connection was opened", ex);
		}
	}

	private @Nullable T usable() {
		T found = this.present;
		return (found != null && this.isUsable.test(found)) ? found : null;
	}

	private synchronized CompletableFuture<@Nullable T> begin() {
		CompletableFuture<@Nullable T> current = this.underWay;
		if (current == null || current.isDone()) {
			current = CompletableFuture.supplyAsync(this::open, this::execute);
			this.underWay = current;
		}
		return current;
	}

	private void execute(Runnable task) {
		Thread thread = new Thread(task, "holdfast-connect");
		thread.setDaemon(true);
		thread.start();
		this.opener = thread;
	}

	private synchronized boolean isClosed() {
		if (this.neverOpen) {
			throw new QueryTimeoutException(NEVER_OPEN);
		}
		return this.closed;
	}

	/**
	 * Opens it. One thread at a time does this.
	 */
	private @Nullable T open() {
		T usable = usable();
		if (usable != null) {
			// Another thread has opened it since this caller looked.
			return usable;
		}
		discard();
		T opened = openFromSource();
		this.present = opened;
		if (this.closed) {
			discard();
			return null;
		}
		return opened;
	}

	private T openFromSource() {
		try {
			return this.source.get();
		}
		catch (RuntimeException ex) {
			// Not as an interrupt, after which a caller would ask again.
			throw this.closed ? new QueryTimeoutException(NEVER_OPEN) : ex;
		}
	}

	/**
	 * Closes what is open. The next one to need it has it opened again.
	 */
	void discard() {
		T before;
		synchronized (this) {
			before = this.present;
			this.present = null;
		}
		if (before != null) {
			this.end.accept(before);
		}
	}

	/**
	 * Closes what is open, and what is being opened, once and for all. A driver that
	 * still connects is interrupted: with Lettuce it has a lock of the application's
	 * factory until then, for which the end of that would wait. Where the driver connects
	 * all the same, it closes that connection with the factory.
	 */
	void close() {
		synchronized (this) {
			this.closed = true;
			this.neverOpen = this.present == null;
			if (this.opener != null) {
				this.opener.interrupt();
			}
		}
		discard();
	}

}
