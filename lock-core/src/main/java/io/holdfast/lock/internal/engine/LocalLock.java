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

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.holdfast.lock.LockType;
import org.jspecify.annotations.Nullable;

/**
 * All that this client knows of one lock while one of its callers holds it or waits for
 * it. Its monitor guards everything in it and in its entries, waiters and grants. Nobody
 * asks the server, or calls foreign code, inside the monitor.
 */
final class LocalLock {

	private final EngineContext context;

	private final String name;

	private final String key;

	/**
	 * Whether it has left the engine: a thread that still refers to it must look it up
	 * again.
	 */
	private boolean retired;

	/**
	 * What has left an input half done, so that nothing here may be believed any more;
	 * until it is discarded.
	 */
	private @Nullable Throwable torn;

	/**
	 * Why it was discarded.
	 */
	private @Nullable Throwable discarded;

	/**
	 * The shared request of REENTRANT callers.
	 */
	private @Nullable QueueEntry shared;

	/**
	 * All requests by id, in the order in which they came: the shared one, and those with
	 * one waiter each (FAIR, or an attempt that does not wait).
	 */
	private final Map<String, QueueEntry> entries = new LinkedHashMap<>(2);

	/**
	 * The entry that has the hold, as far as this client knows.
	 */
	private @Nullable QueueEntry holder;

	LocalLock(EngineContext context, String name, String key) {
		this.context = context;
		this.name = name;
		this.key = key;
	}

	String name() {
		return this.name;
	}

	String key() {
		return this.key;
	}

	boolean isRetired() {
		return this.retired;
	}

	// Inputs

	/**
	 * Does what an input demands, inside the monitor. An Error may leave that half done:
	 * then this is discarded, and who comes next finds the lock unused.
	 */
	synchronized <T extends @Nullable Object> T call(Supplier<T> input) {
		discardIfTorn();
		try {
			return input.get();
		}
		catch (Error ex) {
			tear(ex);
			throw ex;
		}
	}

	/**
	 * The same without a result.
	 */
	synchronized void run(Runnable input) {
		call(() -> {
			input.run();
			return this;
		});
	}

	/**
	 * Marks the state as torn. The next input discards it, and the watchdog is woken to
	 * send one: the thread that met the Error may lack the memory or the stack for that.
	 */
	synchronized void tear(Throwable cause) {
		this.torn = cause;
		this.context.torn = true;
		this.context.host.wakeWatchdog();
	}

	private void discardIfTorn() {
		Throwable cause = this.torn;
		if (cause == null) {
			return;
		}
		this.discarded = cause;
		long now = this.context.now();
		entries().forEach((entry) -> entry.discard(now));
		this.entries.clear();
		this.shared = null;
		this.holder = null;
		retireIfUnused();
		this.torn = null;
		this.context.host.failed(cause);
	}

	/**
	 * Why it was discarded, or {@code null}.
	 */
	@Nullable Throwable discarded() {
		return this.discarded;
	}

	// Entries

	/**
	 * Puts a waiter behind a request.
	 * @return whether it waits; if not it is refused at once, because it does not want to
	 * wait, and a caller of this client holds the lock or the shared request behind which
	 * it would stand has had an answer or a failure already
	 */
	boolean join(LockType type, Waiter waiter, long nowNanos) {
		QueueEntry present = this.shared;
		boolean unknown = present != null && present.isUnknown();
		boolean behind = type == LockType.REENTRANT && present != null && !unknown;
		if (!waiter.waits() && (behind || hasOwner(nowNanos))) {
			waiter.entry = behind ? present : this.holder;
			return false;
		}
		boolean single = type == LockType.FAIR || (unknown && !waiter.waits());
		QueueEntry entry = single ? null : present;
		if (entry == null) {
			entry = new QueueEntry(this, type, this.context, nowNanos);
		}
		if (entry != present) {
			this.entries.put(entry.id(), entry);
			this.shared = single ? this.shared : entry;
		}
		entry.join(waiter);
		if (entry.waiters.size() > 1 || entry.phase() != Phase.IDLE) {
			entry.upkeep.reschedule(nowNanos);
		}
		if (this.holder != null) {
			this.context.contend();
		}
		return true;
	}

	/**
	 * Takes an entry out. The lock leaves the engine with the last one.
	 */
	void remove(QueueEntry entry) {
		this.entries.remove(entry.id());
		if (this.shared == entry) {
			this.shared = null;
		}
		retireIfUnused();
	}

	/**
	 * Leaves the engine if nobody uses it.
	 */
	void retireIfUnused() {
		if (this.entries.isEmpty()) {
			this.retired = true;
			this.context.locks.remove(this.name, this);
		}
	}

	/**
	 * Registers an entry under its next id, before that changes.
	 */
	void rename(QueueEntry entry, String id) {
		if (find(entry.id()) == entry) {
			this.entries.put(id, entry);
			this.entries.remove(entry.id());
		}
	}

	/**
	 * The entry whose request has that id, or {@code null}.
	 */
	@Nullable QueueEntry find(String id) {
		return this.entries.get(id);
	}

	/**
	 * A copy, so that entries may come and go meanwhile.
	 */
	List<QueueEntry> entries() {
		return new ArrayList<>(this.entries.values());
	}

	// The hold

	@Nullable QueueEntry holder() {
		return this.holder;
	}

	void holder(QueueEntry entry) {
		this.holder = entry;
	}

	/**
	 * Whether a caller of this client has the lock, whatever the server does.
	 */
	boolean hasOwner(long nowNanos) {
		Grant present = (this.holder != null) ? this.holder.holding.grant() : null;
		return present != null && !present.isOver(nowNanos);
	}

	void noLongerHolder(QueueEntry entry) {
		if (this.holder == entry) {
			this.holder = null;
		}
	}

	/**
	 * Whether a hold that becomes known is later than the one that this client knows
	 * already. If so, that one is over, whatever its owner believes: tokens grow.
	 */
	boolean supersedes(QueueEntry entry, long token, long nowNanos) {
		QueueEntry present = this.holder;
		if (present == null || present == entry) {
			return true;
		}
		return present.holding.yieldsTo(token, nowNanos);
	}

	/**
	 * The grant of an owner that is not known to be lost, or {@code null}.
	 */
	@Nullable Grant grantOf(Object owner) {
		Grant present = (this.holder != null) ? this.holder.holding.grant() : null;
		return (present != null && present.owner() == owner) ? present : null;
	}

	/**
	 * Has the next search for deadlocks look here if callers of this client may wait
	 * while the owner of an entry runs.
	 */
	void noteContention(QueueEntry entry) {
		if (!entry.waiters.isEmpty() || this.entries.size() > 1) {
			this.context.contend();
		}
	}

	/**
	 * Ends a hold that is over and would be in the way of the next caller.
	 */
	void expire(long nowNanos) {
		if (this.holder != null) {
			this.holder.holding.expire(nowNanos);
		}
	}

}
