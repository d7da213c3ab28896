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

import java.time.temporal.ChronoUnit;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.internal.server.ErrorLog;
import io.holdfast.lock.internal.server.LimitedLog;
import org.apache.commons.logging.LogFactory;

/**
 * Logs that locks were lost, on a thread that nobody else can hold up: neither listeners
 * nor observers. Thread-safe.
 */
final class LossLog {

	private static final ErrorLog errors = new ErrorLog(LossLog.class);

	private final LimitedLog losses = new LimitedLog(LogFactory.getLog("io.holdfast.lock.losses"));

	private final LimitedLog missing = new LimitedLog(LogFactory.getLog("io.holdfast.lock.losses"));

	private final NoticeQueue queue = new NoticeQueue("holdfast-loss-log-");

	/**
	 * Has a loss logged. Calls nobody itself, so it may be called in a monitor.
	 */
	void lost(LockLoss loss) {
		try {
			this.queue.execute(() -> log(loss));
		}
		catch (Throwable ex) {
			// There may be no memory. Those who stop what runs without its lock matter
			// more.
			errors.warn("A loss is not logged", ex);
		}
	}

	private void log(LockLoss loss) {
		warn(() -> this.losses.warn("Lock '" + loss.name() + "' with fencing token " + loss.token() + " was lost ("
				+ loss.cause() + ") after " + LockOptions.describe(loss.held().truncatedTo(ChronoUnit.MILLIS))
				+ ": another holder may be at work while its owner still is. Check what both of them wrote"));
		int dropped = this.queue.takeDropped();
		if (dropped > 0) {
			warn(() -> this.missing
				.warn(dropped + " lost lock(s) are not in the log, which was too slow for them. Listeners have them"));
		}
	}

	private static void warn(Runnable warning) {
		try {
			warning.run();
		}
		catch (Throwable ex) {
			errors.warn("A loss is not logged", ex);
		}
	}

	/**
	 * Makes sure that what waits is logged.
	 */
	void look() {
		this.queue.deliverSoon();
	}

	boolean isDone() {
		return this.queue.isDone();
	}

	void close() {
		this.queue.close();
	}

}
