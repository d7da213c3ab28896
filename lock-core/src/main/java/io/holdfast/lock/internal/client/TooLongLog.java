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

import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.HandleOwner;
import io.holdfast.lock.internal.engine.Look;
import io.holdfast.lock.internal.engine.Look.LongWait;
import io.holdfast.lock.internal.server.ClientId;
import io.holdfast.lock.internal.server.ErrorLog;
import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.LogText;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.server.WarningLimit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns of locks that are held, and of callers who wait, for longer than the application
 * finds right: of each hold and of each caller once, and of no more than ten of a kind in
 * a minute. Who holds a lock that another client has is asked on a thread of the
 * renewals, one lock at a time, so that neither a caller nor the watchdog waits for it.
 */
final class TooLongLog {

	private static final Log logger = LogFactory.getLog(TooLongLog.class);

	private static final ErrorLog errors = new ErrorLog(TooLongLog.class);

	private final LockRuntime runtime;

	private final WarningLimit holds;

	private final WarningLimit waits;

	/**
	 * Whether a thread asks who holds a lock.
	 */
	private final AtomicBoolean asking = new AtomicBoolean();

	TooLongLog(LockRuntime runtime) {
		this.runtime = runtime;
		this.holds = new WarningLimit(runtime::nanoTime);
		this.waits = new WarningLimit(runtime::nanoTime);
	}

	/**
	 * Warns of what a look has found.
	 */
	void log(Look look) {
		look.longHolds().forEach(this::logHold);
		look.longWaits().forEach(this::logWait);
		logKept(this.holds.takeSuppressed(), "hold(s)");
		logKept(this.waits.takeSuppressed(), "wait(s)");
	}

	private static void logKept(int count, String what) {
		if (count > 0) {
			logger.warn(count + " more " + what
					+ " lasted too long in the last minute, not logged individually. Look for what they have in common, as a slow "
					+ "database, or raise the threshold");
		}
	}

	// Holds

	private void logHold(Grant held) {
		if (!this.holds.tryPass()) {
			return;
		}
		String advice = (held.threadName() != null)
				? "This is what the thread does now, and under it where it acquired the lock; find out what it waits for"
				: "This is where it was acquired; find out who has the lease and does not close it";
		logger.warn(
				"Lock '" + LogText.onOneLine(held.name()) + "' with fencing token " + held.token()
						+ " is held for too long, for " + age(held) + " by " + held.describeOwner() + ". " + advice,
				stackOf(held));
	}

	private String age(Grant held) {
		return CallErrors.describe(this.runtime.nanoTime() - held.sinceNanos());
	}

	/**
	 * What the owner does now, caused by where it acquired the lock.
	 */
	private static Throwable stackOf(Grant held) {
		Throwable origin = held.origin();
		Throwable acquired = (origin != null) ? origin : new Throwable("It is not known where it was acquired");
		if (held.owner() instanceof Thread thread) {
			Throwable present = new Throwable("Thread '" + HandleOwner.nameOf(thread) + "' is here now", acquired);
			present.setStackTrace(thread.getStackTrace());
			return present;
		}
		return acquired;
	}

	// Waits

	private void logWait(LongWait wait) {
		if (!this.waits.tryPass()) {
			return;
		}
		Grant own = wait.holder();
		if (own != null) {
			logWait(wait, "It is held by " + own.describeOwner() + " of this client, for " + age(own));
		}
		else if (this.asking.compareAndSet(false, true)) {
			askAndLog(wait);
		}
		else {
			logWait(wait, "Another client holds it");
		}
	}

	private void askAndLog(LongWait wait) {
		try {
			String node = this.runtime.server().topology().nodeOf(wait.key());
			this.runtime.executeInBackground(node, () -> {
				try {
					logWait(wait, holderOf(wait.key()));
				}
				finally {
					this.asking.set(false);
				}
			});
		}
		catch (RuntimeException | Error ex) {
			this.asking.set(false);
			throw ex;
		}
	}

	private String holderOf(String key) {
		List<HoldInfo> found;
		try {
			found = this.runtime.server().describe(List.of(key), false);
		}
		catch (Throwable ex) {
			errors.warn("Could not look up the holder of a lock", ex);
			return "Who holds it is not known, because Redis does not say: " + RedisErrors.classify("", ex).reason();
		}
		if (found.isEmpty()) {
			return "Nobody holds it now";
		}
		ClientId client = ClientId.parse(found.get(0).client());
		HoldInfo hold = found.get(0);
		return "It is held by client " + client.text() + " on host " + client.host() + " for "
				+ CallErrors.describe(TimeUnit.MILLISECONDS.toNanos(hold.ageMillis())) + ", since "
				+ Instant.ofEpochMilli(hold.sinceMillis()) + " by the clock of Redis";
	}

	private static void logWait(LongWait wait, String holder) {
		logger.warn(wait.callers() + " caller(s) of this client wait for lock '" + LogText.onOneLine(wait.name())
				+ "' for too long, the first of them for " + CallErrors.describe(wait.longestNanos()) + ". " + holder
				+ ". Look at what the holder does");
	}

}
