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

import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Logs warnings of one kind, so that many of them do not fill a log: ten in a minute. The
 * others are logged at the level debug, and the next warning says how many they were.
 * Each is one line. Thread-safe.
 */
public final class LimitedLog {

	private final Log logger;

	private final WarningLimit limit;

	public LimitedLog(Log logger) {
		this(logger, System::nanoTime);
	}

	/**
	 * Create the log of one kind of warnings.
	 * @param nanoTime says when a minute is over
	 */
	public LimitedLog(Log logger, LongSupplier nanoTime) {
		this.logger = logger;
		this.limit = new WarningLimit(nanoTime);
	}

	/**
	 * Logs a warning.
	 * @return whether it passed the limit
	 */
	public boolean warn(String message) {
		return warn(message, null);
	}

	/**
	 * Logs a warning with what was thrown.
	 * @return whether it passed the limit
	 */
	public boolean warn(String message, @Nullable Throwable thrown) {
		String passed = pass(message, thrown);
		if (passed != null) {
			this.logger.warn(passed, thrown);
		}
		return passed != null;
	}

	/**
	 * Whether the next warning would pass: for one that was kept back before, and is not
	 * to count once more.
	 */
	public boolean hasRoom() {
		return this.limit.hasRoom();
	}

	/**
	 * Logs what is worse than a warning.
	 * @return whether it passed the limit
	 */
	public boolean error(String message, @Nullable Throwable thrown) {
		String passed = pass(message, thrown);
		if (passed != null) {
			this.logger.error(passed, thrown);
		}
		return passed != null;
	}

	/**
	 * What to log now, with the number of those before; {@code null} if this one is kept
	 * back, too.
	 */
	private @Nullable String pass(String message, @Nullable Throwable thrown) {
		String line = LogText.onOneLine(message);
		int kept = this.limit.pass();
		if (kept >= 0) {
			String others = " (and " + kept + " more such warnings before, which were logged at the level debug)";
			return (kept > 0) ? line + others : line;
		}
		this.logger.debug(line, thrown);
		return null;
	}

}
