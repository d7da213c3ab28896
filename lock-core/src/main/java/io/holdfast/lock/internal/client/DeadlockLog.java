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

import io.holdfast.lock.internal.engine.HandleOwner;
import io.holdfast.lock.internal.engine.Look;
import io.holdfast.lock.internal.engine.Look.BlockedThread;
import io.holdfast.lock.internal.server.LogText;
import io.holdfast.lock.internal.server.WarningLimit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Tells of threads that wait for each other in a cycle, with the stack of each. Not
 * thread-safe.
 */
final class DeadlockLog {

	private static final Log logger = LogFactory.getLog(DeadlockLog.class);

	private final LockRuntime runtime;

	private final WarningLimit limit;

	DeadlockLog(LockRuntime runtime) {
		this.runtime = runtime;
		this.limit = new WarningLimit(runtime::nanoTime);
	}

	/**
	 * Tells of what a look has found.
	 */
	void log(Look look) {
		for (List<BlockedThread> cycle : look.deadlocks()) {
			this.runtime.observers().deadlocked(cycle.stream().map(BlockedThread::lockName).toList());
			if (this.limit.tryPass()) {
				log(cycle);
			}
		}
		int kept = this.limit.takeSuppressed();
		if (kept > 0) {
			logger.error(
					kept + " more deadlock(s) in the last minute, not logged individually. Acquire locks in one order");
		}
	}

	private static void log(List<BlockedThread> cycle) {
		StringBuilder text = new StringBuilder("Deadlock: ");
		Throwable stacks = null;
		for (int i = 0; i < cycle.size(); i++) {
			BlockedThread each = cycle.get(i);
			BlockedThread next = cycle.get((i + 1) % cycle.size());
			text.append("thread '" + HandleOwner.nameOf(each.thread()) + "' waits for lock '"
					+ LogText.onOneLine(each.lockName()) + "', which thread '" + HandleOwner.nameOf(next.thread())
					+ "' holds; ");
			stacks = stackOf(cycle.get(cycle.size() - 1 - i), stacks);
		}
		logger.error(text + "none can proceed until one of the waits times out. Acquire such locks together (acquire, "
				+ "getLock, several keys), or everywhere in one order", stacks);
	}

	private static Throwable stackOf(BlockedThread blocked, @Nullable Throwable next) {
		Throwable stack = new Throwable("Thread '" + HandleOwner.nameOf(blocked.thread()) + "' waits here for lock '"
				+ LogText.onOneLine(blocked.lockName()) + "'", next);
		stack.setStackTrace(blocked.thread().getStackTrace());
		return stack;
	}

}
