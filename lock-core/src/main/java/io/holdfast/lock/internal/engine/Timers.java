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

import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

import org.jspecify.annotations.Nullable;

/**
 * When what is due, to about a millisecond. Timers that are due in the same one form a
 * ring, and a map has the first of each ring: many timers have few times, as renewals
 * travel together. Thread-safe.
 * <p>
 * If the map throws, as where the stack is used up, only the timer that is being set is
 * lost, and its lock is discarded. No ring is.
 */
public final class Timers {

	/** About a million nanoseconds. */
	private static final long GRAIN = 0xFFFFF;

	/** Their times may overflow: only differences count. */
	private final TreeMap<Long, Timer> firsts = new TreeMap<>((one, other) -> Long.signum(one - other));

	private volatile LongConsumer earliest = (nanos) -> {
	};

	/**
	 * Has somebody told when a timer becomes the first one to be due.
	 */
	public void onEarliest(LongConsumer told) {
		this.earliest = told;
	}

	/**
	 * When the next one is due.
	 * @param latest the answer if none is due before
	 */
	public synchronized long nextNanos(long latest) {
		Map.Entry<Long, Timer> first = this.firsts.firstEntry();
		return (first == null || first.getKey() - latest > 0) ? latest : first.getKey();
	}

	/**
	 * Takes one that is due, or {@code null}.
	 */
	public synchronized @Nullable Timer poll(long now) {
		Map.Entry<Long, Timer> first = this.firsts.firstEntry();
		if (first == null || first.getKey() - now > 0) {
			return null;
		}
		remove(first.getValue());
		return first.getValue();
	}

	/**
	 * Sets a timer, which goes off up to about a millisecond later.
	 */
	public synchronized void set(Timer timer, long nanos) {
		long due = nanos | GRAIN;
		if (timer.nanos == due) {
			return;
		}
		remove(timer);
		// First, as the map may throw before it has the timer, or after.
		timer.nanos = due;
		Timer first = this.firsts.putIfAbsent(due, timer);
		if (first != null) {
			timer.before = first.before;
			timer.after = first;
			first.before.after = timer;
			first.before = timer;
		}
		else if (this.firsts.firstKey() == due) {
			this.earliest.accept(due);
		}
	}

	synchronized void remove(Timer timer) {
		if (timer.nanos == Context.NEVER) {
			return;
		}
		if (timer.after == timer) {
			this.firsts.remove(timer.nanos, timer);
		}
		else {
			this.firsts.replace(timer.nanos, timer, timer.after);
			timer.before.after = timer.after;
			timer.after.before = timer.before;
			timer.before = timer;
			timer.after = timer;
		}
		timer.nanos = Context.NEVER;
	}

	synchronized boolean isSet(Timer timer) {
		return timer.nanos != Context.NEVER;
	}

	public synchronized boolean isEmpty() {
		return this.firsts.firstEntry() == null;
	}

	/**
	 * A moment at which something is due.
	 */
	public abstract static class Timer {

		/** Guarded by the timers, as its neighbours. */
		private long nanos = Context.NEVER;

		private Timer before = this;

		private Timer after = this;

		/**
		 * The lock to tell that it is due.
		 */
		public abstract LockState state();

		/**
		 * Does what is due, in the monitor of the lock.
		 */
		abstract void fire(long now, Effects out);

	}

}
