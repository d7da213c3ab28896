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

package io.holdfast.lock.internal.notice;

import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs what a client has to say of one kind: ten lines in a minute, so that many of them
 * fill no log. The others are logged at the level debug, and the next line says how many
 * they were. Each is one line. All clients of the process share one thread that logs: a
 * log may block, and no thread that renews, hears messages or holds a monitor is to wait
 * for it. Logging never throws to its caller. Thread-safe.
 */
public final class LimitedLog {

	static final int MOST = 10;

	static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final TaskQueue LINES = new TaskQueue("holdfast-log", 1, 1000);

	private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\u2028\\u2029]");

	private final Log logger;

	/**
	 * Takes whether a line is minor, and what writes it; tells whether there was room. A
	 * minor line leaves half of the room to others.
	 */
	private final BiPredicate<Boolean, Runnable> writer;

	private final LongSupplier nanoTime;

	/** Guarded by this, as the others. */
	private int passed;

	private int kept;

	private long sinceNanos;

	/**
	 * Create what logs on the thread for that.
	 */
	public LimitedLog(Class<?> place) {
		this(place.getName());
	}

	/**
	 * Create what logs on the thread for that.
	 */
	public LimitedLog(String category) {
		this(LogFactory.getLog(category), LINES::tell, System::nanoTime);
	}

	/**
	 * Create what logs on the calling thread, for callers: the log may show for whom they
	 * work.
	 */
	public LimitedLog(Log logger) {
		this(logger, (minor, line) -> {
			line.run();
			return true;
		}, System::nanoTime);
	}

	LimitedLog(Log logger, BiPredicate<Boolean, Runnable> writer, LongSupplier nanoTime) {
		this.logger = logger;
		this.writer = writer;
		this.nanoTime = nanoTime;
	}

	/**
	 * Whether all is logged.
	 */
	public static boolean isDone() {
		return LINES.unfinished() == 0;
	}

	/**
	 * A text in which control characters are escaped. Names of locks may come from users:
	 * none of them is to look like a line of its own.
	 */
	public static String onOneLine(String text) {
		return CONTROL.matcher(text).replaceAll((found) -> "\\\\u%04x".formatted((int) found.group().charAt(0)));
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
				write(true, message, thrown, Log::debug);
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
		limit(message, null, Log::info);
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
		limit(message, thrown, Log::warn);
	}

	/**
	 * Logs what is worse than a warning.
	 */
	public void error(String message, @Nullable Throwable thrown) {
		limit(message, thrown, Log::error);
	}

	/**
	 * Warns if what was thrown is an {@link Error}, or was caused by one, where failures
	 * of a server are expected: it would look like a server that does not answer.
	 * @param what what has failed
	 * @return whether it was
	 */
	public boolean warnOfError(String what, Throwable thrown) {
		for (Throwable at = thrown; at != null; at = at.getCause()) {
			if (at instanceof Error) {
				warn(what + " because of an unexpected error. The client goes on; look at the stack for a library "
						+ "of another version, or a want of memory or threads", at);
				return true;
			}
		}
		return false;
	}

	/**
	 * Whether the next line would pass: for details that cost something.
	 */
	public synchronized boolean hasRoom() {
		return this.passed < MOST || this.nanoTime.getAsLong() - this.sinceNanos >= PERIOD_NANOS;
	}

	private void limit(String message, @Nullable Throwable thrown, Level level) {
		int before = pass();
		if (before < 0) {
			debug(message, thrown);
			return;
		}
		try {
			String more = (before > 0) ? " (and " + before + " more such messages before, not shown at this level)"
					: "";
			if (!write(false, message + more, thrown, level)) {
				synchronized (this) {
					this.kept += before + 1;
				}
			}
		}
		catch (Throwable ex) {
			// As above.
		}
	}

	private boolean write(boolean minor, String message, @Nullable Throwable thrown, Level level) {
		return this.writer.test(minor, () -> level.log(this.logger, onOneLine(message), thrown));
	}

	/**
	 * Lets a line pass, or keeps it back.
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

	private interface Level {

		void log(Log logger, Object message, @Nullable Throwable thrown);

	}

}
