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

package io.holdfast.lock.internal.client;

import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.server.LimitedLog;
import io.holdfast.lock.internal.server.LogText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns of locks that nobody will release.
 */
final class LeakLog {

	/**
	 * At the level debug it costs each acquisition a stack trace.
	 */
	private static final Log logger = LogFactory.getLog("io.holdfast.lock.leaks");

	private final LimitedLog warnings = new LimitedLog(logger);

	/**
	 * Remembers who calls, if somebody wants to know.
	 * @param wanted whether somebody does, whatever the level is
	 */
	static void note(Grant grant, boolean wanted) {
		if (wanted || logger.isDebugEnabled()) {
			grant.origin(new Throwable("Lock '" + LogText.onOneLine(grant.name()) + "' was acquired here"));
		}
	}

	void warn(Grant grant) {
		Throwable acquired = grant.origin();
		String who = (grant.threadName() != null) ? "thread '" + grant.threadName() + "'" : "a forgotten lease";
		this.warnings.warn(
				"Lock '" + grant.name() + "' with fencing token " + grant.token()
						+ " was not released: its owner is gone (" + who
						+ "). It is not renewed any more and ends with its lease. Unlock in a finally block, or close "
						+ "the lease. "
						+ ((acquired != null) ? "It was acquired here:"
								: "With logging.level.io.holdfast.lock.leaks=debug this tells where it was acquired"),
				acquired);
	}

}
