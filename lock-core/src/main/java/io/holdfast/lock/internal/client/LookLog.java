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
import io.holdfast.lock.internal.engine.HandleOwner;
import io.holdfast.lock.internal.engine.Look;
import io.holdfast.lock.internal.engine.Look.BlockedThread;
import io.holdfast.lock.internal.engine.Look.LongWait;
import io.holdfast.lock.internal.server.LimitedLog;
import io.holdfast.lock.internal.server.LogText;
import org.jspecify.annotations.Nullable;

/**
 * Warns of what a look of the watchdog has found: locks that nobody releases, locks that
 * are held and callers who wait for too long, and threads that wait for each other. Asks
 * nobody.
 */
final class LookLog {

	/**
	 * At the level debug it costs each acquisition a stack trace.
	 */
	private static final String LEAKS = "io.holdfast.lock.leaks";

	private static final LimitedLog leakLevel = new LimitedLog(LEAKS);

	private final LimitedLog leaks = new LimitedLog(LEAKS);

	private final LimitedLog holds = new LimitedLog(LookLog.class);

	private final LimitedLog waits = new LimitedLog(LookLog.class);

	private final LimitedLog deadlocks = new LimitedLog(LookLog.class);

	private final LockRuntime runtime;

	LookLog(LockRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Remembers who acquires a lock, if somebody wants to know.
	 * @param wanted whether somebody does, whatever the level is
	 */
	static void note(Grant grant, boolean wanted) {
		if (wanted || leakLevel.isDebugEnabled()) {
			grant.origin(new Throwable("Lock '" + LogText.onOneLine(grant.name()) + "' was acquired here"));
		}
	}

	void log(Look look) {
		look.orphans().forEach(this::logLeak);
		look.longHolds().forEach(this::logHold);
		look.longWaits().forEach(this::logWait);
		look.deadlocks().forEach(this::logDeadlock);
	}

	private void logLeak(Grant grant) {
		Throwable acquired = grant.origin();
		String who = (grant.threadName() != null) ? "thread '" + grant.threadName() + "'" : "a forgotten lease";
		this.leaks.warn(
				subject(grant) + " was not released: its owner is gone (" + who
						+ "). It is not renewed any more and ends with its lease. Unlock in a finally block, or close "
						+ "the lease. "
						+ ((acquired != null) ? "It was acquired here:"
								: "With logging.level.io.holdfast.lock.leaks=debug this tells where it was acquired"),
				acquired);
	}

	private void logHold(Grant held) {
		boolean byThread = held.owner() instanceof Thread;
		this.holds.warn(subject(held) + " is held for too long, for " + age(held) + " by " + held.describeOwner() + ". "
				+ (byThread
						? "This is what the thread does now, and under it where it acquired the lock; find out what it waits for"
						: "This is where it was acquired; find out who has the lease and does not close it"),
				this.holds.hasRoom() ? stackOf(held) : null);
	}

	private static String subject(Grant grant) {
		return "Lock '" + grant.name() + "' with fencing token " + grant.token();
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
		return (held.owner() instanceof Thread thread)
				? stackOf(thread, "Thread '" + HandleOwner.nameOf(thread) + "' is here now", acquired) : acquired;
	}

	private static Throwable stackOf(Thread thread, String text, @Nullable Throwable next) {
		Throwable stack = new Throwable(text, next);
		stack.setStackTrace(thread.getStackTrace());
		return stack;
	}

	private void logWait(LongWait wait) {
		Grant own = wait.holder();
		this.waits.warn(wait.callers() + " caller(s) of this client wait for lock '" + wait.name()
				+ "' for too long, the first of them for " + CallErrors.describe(wait.longestNanos())
				+ ((own != null)
						? ". It is held by " + own.describeOwner() + " of this client, for " + age(own)
								+ ". Look at what it does"
						: ". No other caller of this client holds it: GET /actuator/locks/{name}, or LockDirectory.find, "
								+ "shows which client does, on which host and since when"));
	}

	private void logDeadlock(List<BlockedThread> cycle) {
		this.runtime.observers().deadlocked(cycle.stream().map(BlockedThread::lockName).toList());
		StringBuilder text = new StringBuilder("Deadlock: ");
		Throwable stacks = null;
		for (int i = cycle.size() - 1; i >= 0; i--) {
			BlockedThread each = cycle.get(i);
			String name = HandleOwner.nameOf(each.thread());
			String next = HandleOwner.nameOf(cycle.get((i + 1) % cycle.size()).thread());
			text.insert("Deadlock: ".length(), "thread '" + name + "' waits for lock '" + each.lockName()
					+ "', which thread '" + next + "' holds; ");
			stacks = stackOf(each.thread(),
					"Thread '" + name + "' waits here for lock '" + LogText.onOneLine(each.lockName()) + "'", stacks);
		}
		this.deadlocks
			.error(text + "none can proceed until one of the waits times out. Acquire such locks together (acquire, "
					+ "getLock, several keys), or everywhere in one order", stacks);
	}

}
