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

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Warns of each {@link Error}, such as a {@link LinkageError} or an
 * {@link OutOfMemoryError}, where a client expects failures of a server. The client goes
 * on after those and may report none of them, so without this an error would look like a
 * server that does not answer, or like nothing. At most one warning a minute for each
 * class of errors, which says how many there were since the one before. Throws nothing,
 * as a full heap may not let it log either. Thread-safe.
 */
public final class ErrorLog {

	private final Log logger;

	private final LongSupplier nanoTime;

	private final ConcurrentMap<Class<?>, WarningLimit> limits = new ConcurrentHashMap<>();

	public ErrorLog(Class<?> place) {
		this(place, System::nanoTime);
	}

	ErrorLog(Class<?> place, LongSupplier nanoTime) {
		this.logger = LogFactory.getLog(place);
		this.nanoTime = nanoTime;
	}

	/**
	 * Warns if what was thrown is an error or was caused by one.
	 * @param what what has failed
	 * @return whether it was
	 */
	public boolean warn(String what, Throwable thrown) {
		Error error = errorIn(thrown);
		if (error == null) {
			return false;
		}
		try {
			log(what, error);
		}
		catch (Throwable ex) {
			// What the caller does next matters more.
		}
		return true;
	}

	private void log(String what, Error error) {
		WarningLimit limit = this.limits.computeIfAbsent(error.getClass(),
				(unused) -> new WarningLimit(1, this.nanoTime));
		int kept = limit.pass();
		if (kept >= 0) {
			String others = (kept > 0) ? " (and " + kept + " more such errors before, which were not logged)" : "";
			this.logger
				.warn(what + " because of an unexpected error. The client goes on; look at the stack for a library "
						+ "of another version, or a want of memory or threads" + others, error);
		}
	}

	private static @Nullable Error errorIn(Throwable thrown) {
		for (Throwable at = thrown; at != null; at = at.getCause()) {
			if (at instanceof Error error) {
				return error;
			}
		}
		return null;
	}

}
