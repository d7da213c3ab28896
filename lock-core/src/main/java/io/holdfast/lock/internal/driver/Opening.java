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
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.QueryTimeoutException;

/**
 * A {@link Line} that is opened when it is first needed. All callers share it until it is
 * not usable any more; the next one that needs it then has it opened again. Drivers may
 * take any time to open it, so a thread of its own does that, never two at once, and each
 * caller waits for that thread no longer than its own limit.
 */
final class Opening {

	private static final Duration EXTRA = Duration.ofSeconds(1);

	private static final String NEVER_OPEN = "no connection was open when the client was closed";

	private final Supplier<Line> source;

	private volatile @Nullable Line present;

	private volatile boolean closed;

	/** Whether something was open at any time. */
	private volatile boolean wasOpen;

	/** Guarded by the monitor. */
	private @Nullable CompletableFuture<@Nullable Line> underWay;

	/** The thread that opens it. Guarded by the monitor. */
	private @Nullable Thread opener;

	Opening(Supplier<Line> source) {
		this.source = source;
	}

	/**
	 * What is open, be it of use or not; {@code null} if nothing is.
	 */
	@Nullable Line present() {
		return this.present;
	}

	/**
	 * Has it opened, if need be, and waits for that. It takes more steps than a call on a
	 * connection that is there, so there is {@link #EXTRA} time for it.
	 * @param limit how long the caller can wait for a call
	 * @return what is open, or {@code null} if this was closed while something was open
	 * @throws NotSentException if that takes longer or fails, or if this was closed
	 * before anything was open
	 */
	@Nullable Line await(Duration limit) {
		Line usable = usable();
		if (usable != null || isClosed()) {
			return usable;
		}
		Duration most = limit.plus(EXTRA);
		try {
			return begin().get(most.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			throw new NotSentException(new QueryTimeoutException("no connection within " + most.toMillis() + "ms", ex));
		}
		catch (ExecutionException ex) {
			throw new NotSentException(ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new NotSentException(ex);
		}
	}

	private @Nullable Line usable() {
		Line found = this.present;
		return (found != null && found.isUsable()) ? found : null;
	}

	private synchronized CompletableFuture<@Nullable Line> begin() {
		CompletableFuture<@Nullable Line> current = this.underWay;
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

	private boolean isClosed() {
		if (this.closed && !this.wasOpen) {
			throw new NotSentException(new QueryTimeoutException(NEVER_OPEN));
		}
		return this.closed;
	}

	/**
	 * Opens it. One thread at a time does this.
	 */
	private @Nullable Line open() {
		Line usable = usable();
		if (usable != null) {
			// Another thread has opened it since this caller looked.
			return usable;
		}
		discard();
		try {
			usable = this.source.get();
		}
		catch (RuntimeException ex) {
			// Not as an interrupt, after which a caller would ask again.
			throw this.closed ? new QueryTimeoutException(NEVER_OPEN) : ex;
		}
		this.present = usable;
		this.wasOpen = true;
		if (this.closed) {
			discard();
			return null;
		}
		return usable;
	}

	/**
	 * Closes what is open. The next one to need it has it opened again.
	 */
	void discard() {
		Line before;
		synchronized (this) {
			before = this.present;
			this.present = null;
		}
		if (before != null) {
			before.close();
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
			if (this.opener != null) {
				this.opener.interrupt();
			}
		}
		discard();
	}

}
