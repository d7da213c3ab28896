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

package io.holdfast.lock.internal.engine;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of owners that acquire once more what they hold. Thread-safe.
 */
public final class EngineReentry {

	private final EngineContext context;

	EngineReentry(EngineContext context) {
		this.context = context;
	}

	/**
	 * An owner wants a lock that it may hold.
	 * @return its grant, which it has acquired once more; {@code null} if it has none
	 * that is enough, and has to {@linkplain LockEngine#enter enter}
	 */
	public @Nullable Grant enter(String name, Thread owner, LeaseSpec lease) {
		LocalLock lock = this.context.locks.get(name);
		if (lock == null) {
			return null;
		}
		synchronized (lock) {
			Grant held = lock.grantOf(owner);
			long now = this.context.now();
			if (held == null || held.isOver(now) || !held.isEnoughFor(lease, now)) {
				return null;
			}
			held.acquireAgain();
			return held;
		}
	}

	/**
	 * An owner wants what it has for longer than is left, or the watchdog where it had
	 * none. Needs the monitor of the lock.
	 */
	Entrance prolong(Grant held, LeaseSpec lease) {
		held.entry.holding.hold().prolongs();
		return new Entrance.Reentered(held, new Renewal(held.entry.lock.key(), held.entry.id(), lease.millis(), 0));
	}

	/**
	 * An answer came to the renewal with which an owner wanted to enter once more.
	 * @throws LockLostException if the hold is lost; then it did not enter
	 */
	public void reentered(Waiter waiter, Grant held, LockReply reply) {
		held.entry.lock.run(() -> {
			long now = this.context.now();
			// The answer may have come after the deadline.
			held.entry.holding.expire(now);
			if (held.isLive() && reply.state() == LockReply.State.UNKNOWN) {
				throw Failures.tooFewToRenew(held.name());
			}
			if (held.isLive() && !reply.holds()) {
				held.entry.holding.lose(Cause.GONE, now);
			}
			LockLoss loss = held.loss();
			if (loss != null) {
				throw new LockLostException(loss);
			}
			if (!held.isLive()) {
				throw new IllegalMonitorStateException("Lock '" + held.name() + "' (" + held.type()
						+ ") was given back meanwhile. Leave its release to the thread that holds it");
			}
			held.entry.holding.prolonged(held, waiter.lease.watched() ? reply : reply.atMost(waiter.lease.millis()));
			if (waiter.lease.watched()) {
				held.watch(true);
			}
			held.acquireAgain();
			// It may have to be renewed long before the end that it had.
			held.entry.upkeep.reschedule(now);
		});
	}

}
