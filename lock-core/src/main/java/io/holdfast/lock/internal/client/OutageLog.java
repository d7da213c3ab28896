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

import java.util.HashMap;
import java.util.Map;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.server.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns once when renewals begin to fail at a server, and logs how many did when they
 * pass again. If outages come and go all the time, both are logged ten times a minute at
 * most; one that lasts is warned of, if late. Thread-safe.
 */
final class OutageLog {

	private static final Log logger = LogFactory.getLog(OutageLog.class);

	private final LimitedLog warnings;

	/** What is not over yet, by server. Guarded by this. */
	private final Map<String, Outage> outages = new HashMap<>();

	OutageLog() {
		this(new LimitedLog(logger));
	}

	OutageLog(LimitedLog warnings) {
		this.warnings = warnings;
	}

	/**
	 * Renewals have failed.
	 * @param node at which server of a cluster
	 */
	void failed(String node, int renewals, LockServerException failure) {
		Outage outage;
		boolean warned;
		boolean first;
		synchronized (this) {
			outage = this.outages.computeIfAbsent(node, (unused) -> new Outage());
			first = outage.renewals == 0;
			warned = outage.warned;
			outage.warned = true;
			outage.renewals += renewals;
		}
		if (!warned) {
			String text = "Renewal of " + renewals + " lock(s) failed and is tried again until their leases end. "
					+ "Check Redis and the network path to it: " + failure.getMessage();
			outage.warned = (first || this.warnings.hasRoom()) && this.warnings.warn(text);
		}
	}

	/**
	 * A renewal has passed.
	 */
	void passed(String node) {
		Outage over;
		int count;
		synchronized (this) {
			over = this.outages.remove(node);
			count = (over != null) ? over.renewals : 0;
		}
		if (over == null) {
			return;
		}
		String text = "Locks are renewed again, after " + count + " renewal(s) that failed";
		if (over.warned) {
			logger.info(text);
		}
		else {
			logger.debug(text);
		}
	}

	private static final class Outage {

		/** Guarded by the log. */
		private int renewals;

		/**
		 * Whether somebody was warned of it, or is about to be. If the warning was kept
		 * back, the next failure tries again. The outage may be over before that is
		 * known, which costs one line more.
		 */
		private volatile boolean warned;

	}

}
