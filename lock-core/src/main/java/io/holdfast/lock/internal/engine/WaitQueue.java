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
import java.util.List;

import io.holdfast.lock.internal.engine.LocalWaiters.Place;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of this client behind one request. The first of them speaks for it: as long
 * as the queue is not empty, either a command is on its way, or the first one is awake,
 * or it sleeps until the next command is due. Guarded by the {@link LocalLock}.
 */
final class WaitQueue {

	private @Nullable Waiter first;

	private @Nullable Waiter last;

	private int size;

	/**
	 * Whose command is on its way. It need not be in the queue any more.
	 */
	private @Nullable Waiter sender;

	private long dueNanos;

	WaitQueue(long dueNanos) {
		this.dueNanos = dueNanos;
	}

	boolean isEmpty() {
		return this.first == null;
	}

	int size() {
		return this.size;
	}

	@Nullable Waiter first() {
		return this.first;
	}

	void join(Waiter waiter) {
		if (this.last == null) {
			this.first = waiter;
		}
		else {
			this.last.behind = waiter;
		}
		this.last = waiter;
		this.size++;
	}

	void leave(Waiter waiter) {
		Waiter before = null;
		for (Waiter each = this.first; each != null; each = each.behind) {
			if (each == waiter) {
				unlink(before, each);
				break;
			}
			before = each;
		}
		wakeFirst();
	}

	void takeFirst() {
		if (this.first != null) {
			unlink(null, this.first);
		}
	}

	private void unlink(@Nullable Waiter before, Waiter waiter) {
		if (before == null) {
			this.first = waiter.behind;
		}
		else {
			before.behind = waiter.behind;
		}
		if (this.last == waiter) {
			this.last = before;
		}
		waiter.behind = null;
		this.size--;
	}

	void wakeFirst() {
		if (this.first != null) {
			this.first.wake();
		}
	}

	void wakeAll() {
		for (Waiter each = this.first; each != null; each = each.behind) {
			each.wake();
		}
	}

	/**
	 * Wakes those whose time is over: they wait for no more than the first answer.
	 */
	void wakeTimedOut(long nowNanos) {
		for (Waiter each = this.first; each != null; each = each.behind) {
			if (each.isTimedOut(nowNanos)) {
				each.wake();
			}
		}
	}

	/**
	 * Describes the waiters, without single attempts.
	 * @param threads how many to name
	 */
	LocalWaiters describe(QueueEntry entry, int threads) {
		int count = 0;
		List<String> names = new ArrayList<>();
		for (Waiter each = this.first; each != null; each = each.behind) {
			if (each.waits()) {
				count++;
				String name = (count <= threads) ? each.threadName() : null;
				if (name != null) {
					names.add(name);
				}
			}
		}
		Place place = entry.isWaiting() ? Place.QUEUE : Place.NONE;
		return new LocalWaiters(entry.id(), entry.type(), (entry.lock.holder() == entry) ? Place.HOLD : place, count,
				names);
	}

	/**
	 * Whether a command is on its way.
	 */
	boolean isBusy() {
		return this.sender != null;
	}

	/**
	 * Whether it is on this waiter to send the next command, now or later.
	 */
	boolean isSpeaker(Waiter waiter) {
		return this.sender == null && this.first == waiter;
	}

	boolean isDue(long nowNanos) {
		return Time.isReached(this.dueNanos, nowNanos);
	}

	long dueNanos() {
		return this.dueNanos;
	}

	void begin() {
		this.sender = this.first;
	}

	/**
	 * Ends a command. Whoever is first by now may not be the one that sent it.
	 */
	void end() {
		this.sender = null;
		wakeFirst();
	}

	/**
	 * Sets when the next command is due. The first waiter sleeps until the time that it
	 * knows: it need not be woken to sleep longer.
	 */
	void dueAt(long nanos) {
		boolean earlier = nanos - this.dueNanos < 0;
		this.dueNanos = nanos;
		if (earlier) {
			wakeFirst();
		}
	}

}
