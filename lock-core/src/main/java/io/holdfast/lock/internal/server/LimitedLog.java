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

package io.holdfast.lock.internal.server;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs what a client has to say of one kind: ten lines in a minute, so that many of them
 * fill no log. The others are logged at the level debug, and the next line says how many
 * they were. Each is one line. Nothing that goes to a log is thrown to who has something
 * to say. Thread-safe.
 */
public final class LimitedLog {

	static final int MOST = 10;

	static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final Log logger;

	private final Executor executor;

	private final Executor detailed;

	private final LongSupplier nanoTime;

	/** Guarded by this, as the others. */
	private int passed;

	private int kept;

	private long sinceNanos;

	/**
	 * Create what logs by {@link LogQueue}, so on no thread of a client.
	 */
	public LimitedLog(Class<?> place) {
		this(place.getName());
	}

	/**
	 * Create what logs by {@link LogQueue}, so on no thread of a client.
	 */
	public LimitedLog(String category) {
		this(LogFactory.getLog(category), LogQueue::add, LogQueue::addMinor, System::nanoTime);
	}

	/**
	 * Create what logs on the calling thread, for callers: the log may show for whom they
	 * work.
	 */
	public LimitedLog(Log logger) {
		this(logger, Runnable::run, Runnable::run, System::nanoTime);
	}

	LimitedLog(Log logger, Executor executor, Executor detailed, LongSupplier nanoTime) {
		this.logger = logger;
		this.executor = executor;
		this.detailed = detailed;
		this.nanoTime = nanoTime;
	}

	/**
	 * Whether details are wanted.
	 */
	public boolean isDebugEnabled() {
		return this.logger.isDebugEnabled();
	}

	/**
	 * Logs details, which have no limit.
	 */
	public void debug(String message, @Nullable Throwable thrown) {
		try {
			if (isDebugEnabled()) {
				this.detailed.execute(() -> this.logger.debug(LogText.onOneLine(message), thrown));
			}
		}
		catch (Throwable ex) {
			// What the caller does next matters more, and a full heap may not let it log.
		}
	}

	/**
	 * Logs that what was warned of is over.
	 */
	public void info(String message) {
		limit(message, null, (line, unused) -> this.logger.info(line));
	}

	/**
	 * Logs a warning.
	 */
	public void warn(String message) {
		warn(message, null);
	}

	/**
	 * Logs a warning with what was thrown.
	 */
	public void warn(String message, @Nullable Throwable thrown) {
		limit(message, thrown, this.logger::warn);
	}

	/**
	 * Logs what is worse than a warning.
	 */
	public void error(String message, @Nullable Throwable thrown) {
		limit(message, thrown, this.logger::error);
	}

	/**
	 * Warns if what was thrown is an {@link Error}, or was caused by one, where failures
	 * of a server are expected: it would look like a server that does not answer.
	 * @param what what has failed
	 * @return whether it was
	 */
	public boolean warnOfError(String what, Throwable thrown) {
		Error error = RedisErrors.errorIn(thrown);
		if (error != null) {
			warn(what + " because of an unexpected error. The client goes on; look at the stack for a library "
					+ "of another version, or a want of memory or threads", error);
		}
		return error != null;
	}

	/**
	 * Whether the next line would pass: for details that cost something.
	 */
	public synchronized boolean hasRoom() {
		return this.passed < MOST || this.nanoTime.getAsLong() - this.sinceNanos >= PERIOD_NANOS;
	}

	private void limit(String message, @Nullable Throwable thrown, Line line) {
		int before = pass();
		if (before < 0) {
			debug(message, thrown);
			return;
		}
		try {
			this.executor
				.execute(() -> line.log(
						LogText.onOneLine(message) + ((before == 0) ? ""
								: " (and " + before
										+ " more such warnings before, which were logged at the level debug)"),
						thrown));
		}
		catch (Throwable ex) {
			// As above.
		}
	}

	/**
	 * Lets a line pass, or counts it as kept back.
	 * @return how many were kept back before; negative if this one is, too
	 */
	private synchronized int pass() {
		long now = this.nanoTime.getAsLong();
		if (this.passed == 0 || now - this.sinceNanos >= PERIOD_NANOS) {
			this.passed = 0;
			this.sinceNanos = now;
		}
		if (this.passed == MOST) {
			this.kept++;
			return -1;
		}
		this.passed++;
		int before = this.kept;
		this.kept = 0;
		return before;
	}

	private interface Line {

		void log(Object message, @Nullable Throwable thrown);

	}

}
