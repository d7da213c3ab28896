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

import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.internal.engine.LockEngine;
import io.holdfast.lock.internal.engine.Look;
import org.jspecify.annotations.Nullable;

/**
 * Tells the engine that time passes, and has sent what that demands. One platform thread
 * for all locks of the client. It never waits for the server, and nothing ends it but the
 * end of the client: what goes wrong in one round is tried again in the next. If the
 * engine is broken, it closes the client.
 */
final class Watchdog implements Runnable {

	private static final long MIN_SLEEP_NANOS = 5_000_000;

	private final LockRuntime runtime;

	private final LockEngine engine;

	private final RenewalSender renewals;

	private final PendingReleaseSender pendingReleases;

	private final LookLog log;

	private final Thread thread;

	private volatile boolean stopped;

	Watchdog(LockRuntime runtime, RenewalSender renewals, PendingReleaseSender pendingReleases) {
		this.runtime = runtime;
		this.engine = runtime.engine();
		this.renewals = renewals;
		this.pendingReleases = pendingReleases;
		this.log = new LookLog(runtime);
		this.thread = new Thread(this, "holdfast-watchdog");
		this.thread.setDaemon(true);
	}

	void start() {
		this.thread.start();
	}

	void stop() {
		this.stopped = true;
		wake();
	}

	void wake() {
		LockSupport.unpark(this.thread);
	}

	@Override
	public void run() {
		while (!this.stopped) {
			long sleep = MIN_SLEEP_NANOS;
			try {
				sleep = Math.max(sleep, look());
			}
			catch (Throwable ex) {
				this.runtime.failed(ex);
			}
			if (this.engine.broken() != null) {
				this.runtime.close();
			}
			LockSupport.parkNanos(this, sleep);
		}
	}

	/**
	 * Does all that is due.
	 * @return how long nothing else will be due
	 */
	private long look() {
		Look look = this.engine.time().look();
		this.renewals.send(look.renewals());
		this.pendingReleases.sendDue(this.engine.now());
		this.runtime.observers().look();
		this.runtime.health().tick();
		this.log.log(look);
		// Last, as it may not get a thread.
		checkSubscription(look.waitedFor());
		return this.engine.time().nextLookNanos() - this.engine.now();
	}

	private void checkSubscription(@Nullable String waitedFor) {
		if (waitedFor != null) {
			String node = this.runtime.server().topology().nodeOf(waitedFor);
			this.runtime.channels()
				.forEach((each) -> each.check(waitedFor, (task) -> this.renewals.execute(node, task)));
		}
	}

}
