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

import java.util.List;

import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.Waiter;
import io.holdfast.lock.internal.notice.LimitedLog;
import io.holdfast.lock.internal.operator.EngineView;
import io.holdfast.lock.internal.operator.TooLong;
import io.holdfast.lock.internal.operator.TooLong.Wait;
import org.jspecify.annotations.Nullable;

/**
 * Warns of what the watchdog has found: locks that nobody releases, locks that are held
 * and callers who wait for too long, and threads that wait for each other. Asks nobody.
 */
final class LookLog {

	/** At the level debug it costs each acquisition a stack trace. */
	private static final LimitedLog leaks = new LimitedLog("io.holdfast.lock.leaks");

	private final LimitedLog holds = new LimitedLog(LookLog.class);

	private final LimitedLog waits = new LimitedLog(LookLog.class);

	private final LimitedLog deadlocks = new LimitedLog(LookLog.class);

	private final LockRuntime runtime;

	private final TooLong tooLong;

	LookLog(LockRuntime runtime, EngineView view) {
		this.runtime = runtime;
		ClientSettings settings = runtime.settings;
		this.tooLong = new TooLong(view, settings.heldTooLong(), settings.waitTooLong(), settings.lookNanos());
	}

	/**
	 * Whether somebody wants to know where locks are acquired.
	 */
	boolean wantsOrigins() {
		return !this.runtime.settings.heldTooLong().isZero() || leaks.isDebugEnabled();
	}

	/**
	 * Looks, if it is time.
	 */
	void look() {
		TooLong.Found found = this.tooLong.look();
		found.longHolds().forEach(this::logHold);
		found.longWaits().forEach(this::logWait);
		found.deadlocks().forEach(this::logDeadlock);
	}

	static void logLeak(Grant grant) {
		leaks.warn(subject(grant) + " was not released: its owner is gone (" + grant.describeOwner()
				+ "). It is not renewed any more and ends with its lease. Unlock in a finally block, or close the lease. "
				+ "With logging.level.io.holdfast.lock.leaks=debug this shows where it was acquired",
				Call.of(grant).origin);
	}

	private void logHold(Grant held) {
		this.holds.warn(subject(held) + " is held for too long, for " + this.runtime.errors.since(held.sinceNanos())
				+ " by " + held.describeOwner() + ". "
				+ ((held.owner() instanceof Thread)
						? "This is what the thread does now, and under it where it acquired the lock; find out what it waits for"
						: "This is where it was acquired; find out who has the lease and does not close it"),
				this.holds.hasRoom() ? stackOf(held) : null);
	}

	private static String subject(Grant grant) {
		return "Lock '" + grant.name() + "' with fencing token " + grant.token();
	}

	/**
	 * What the owner does now, caused by where it acquired the lock.
	 */
	private static @Nullable Throwable stackOf(Grant held) {
		Throwable origin = Call.of(held).origin;
		return (held.owner() instanceof Thread thread) ? stackOf(thread, "is here now", origin) : origin;
	}

	private static Throwable stackOf(Thread thread, String text, @Nullable Throwable next) {
		Throwable stack = new Throwable("Thread '" + Waiter.nameOf(thread) + "' " + text, next);
		stack.setStackTrace(thread.getStackTrace());
		return stack;
	}

	private void logWait(List<Wait> callers) {
		String name = callers.get(0).lock().name();
		long now = this.runtime.now();
		long longest = callers.stream().mapToLong((each) -> now - each.waiter().sinceNanos()).max().orElse(0);
		this.waits.warn(callers.size() + " caller(s) of this client wait for lock '" + name
				+ "' for too long, the first of them for " + CallErrors.describe(longest) + ". "
				+ this.runtime.errors.whoHolds(name));
	}

	private void logDeadlock(List<Wait> cycle) {
		this.runtime.observers.deadlocked(cycle.stream().map((each) -> each.lock().name()).toList());
		String text = "";
		Throwable stacks = null;
		for (int i = cycle.size() - 1; i >= 0; i--) {
			Wait each = cycle.get(i);
			Thread thread = (Thread) each.waiter().owner();
			Thread next = (Thread) cycle.get((i + 1) % cycle.size()).waiter().owner();
			text = "thread '" + Waiter.nameOf(thread) + "' waits for lock '" + each.lock().name() + "', which thread '"
					+ Waiter.nameOf(next) + "' holds; " + text;
			stacks = stackOf(thread, "waits here", stacks);
		}
		this.deadlocks
			.error("Deadlock: " + text + "none can proceed until one of the waits times out. Acquire such locks "
					+ "together (acquire, getLock, several keys), or everywhere in one order", stacks);
	}

}
