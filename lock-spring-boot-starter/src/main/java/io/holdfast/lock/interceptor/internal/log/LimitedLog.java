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

package io.holdfast.lock.interceptor.internal.log;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Logs warnings of one kind, so that many of them do not fill a log: ten in a minute,
 * which begins with the first one. The others are logged at the level debug, and the
 * first one of a later minute says how many they were. Each is one line. Thread-safe.
 */
public final class LimitedLog {

	// The core has one of its own, which is internal to it.

	static final int MOST = 10;

	static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final Log logger;

	private final LongSupplier nanoTime;

	/** Guarded by this, as the others. */
	private int passed;

	private int kept;

	private long sinceNanos;

	public LimitedLog(Log logger) {
		this(logger, System::nanoTime);
	}

	LimitedLog(Log logger, LongSupplier nanoTime) {
		this.logger = logger;
		this.nanoTime = nanoTime;
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
		int before = pass();
		if (before < 0) {
			this.logger.debug(LogText.onOneLine(message), thrown);
		}
		else {
			this.logger.warn(withCount(message, before), thrown);
		}
	}

	/**
	 * Logs what is worse than a warning.
	 */
	public void error(String message) {
		int before = pass();
		if (before < 0) {
			this.logger.debug(LogText.onOneLine(message));
		}
		else {
			this.logger.error(withCount(message, before));
		}
	}

	/**
	 * Counts one more.
	 * @return how many were kept back before; negative if this one is, too
	 */
	private synchronized int pass() {
		long now = this.nanoTime.getAsLong();
		int before = 0;
		if (this.passed == 0 || now - this.sinceNanos >= PERIOD_NANOS) {
			before = this.kept;
			this.passed = 0;
			this.kept = 0;
			this.sinceNanos = now;
		}
		if (this.passed == MOST) {
			this.kept++;
			return -1;
		}
		this.passed++;
		return before;
	}

	private static String withCount(String message, int before) {
		String line = LogText.onOneLine(message);
		return (before > 0)
				? line + " (and " + before + " more such warnings before, which were logged at the level debug)" : line;
	}

}
