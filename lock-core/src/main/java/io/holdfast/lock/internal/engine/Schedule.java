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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * When the watchdog has to look at which entry. A pass costs what is due, not what is
 * held. Thread-safe; its monitor is the innermost.
 */
final class Schedule {

	/**
	 * No look is further away: what is due later is put off again.
	 */
	static final long HORIZON_NANOS = Time.nanos(3_600_000);

	private static final long TICK_NANOS = Time.nanos(5);

	private final long originNanos;

	private final TreeMap<Long, Set<Upkeep>> ticks = new TreeMap<>();

	/**
	 * Those that are to be looked at at once, linked to each other.
	 */
	private @Nullable Upkeep atOnce;

	private final EngineHost host;

	private volatile long awakeAtNanos;

	Schedule(EngineHost host) {
		this.host = host;
		this.originNanos = host.nanoTime();
		this.awakeAtNanos = this.originNanos;
	}

	/**
	 * Has an entry looked at no later than this. A scheduled look is never moved to a
	 * later time: if it comes too early, it schedules the next one.
	 */
	void put(Upkeep entry, long nanos) {
		// Never early: who is looked at before it is due would be put off again and
		// again.
		long tick = Math.floorDiv(nanos - this.originNanos + TICK_NANOS - 1, TICK_NANOS);
		synchronized (this) {
			if (entry.tick <= tick) {
				return;
			}
			// What needs memory comes first, so that an entry is never lost.
			this.ticks.computeIfAbsent(tick, (unused) -> new LinkedHashSet<>()).add(entry);
			drop(entry);
			entry.tick = tick;
		}
		if (nanos - this.awakeAtNanos < 0) {
			this.host.wakeWatchdog();
		}
	}

	/**
	 * Has an entry looked at at once. Needs no memory: that may be the reason.
	 */
	void putAtOnce(Upkeep entry) {
		putBack(entry);
		this.host.wakeWatchdog();
	}

	/**
	 * Has the next look begin with an entry. Needs no memory: that may be the reason.
	 */
	synchronized void putBack(Upkeep entry) {
		if (!entry.atOnce) {
			entry.atOnce = true;
			entry.nextAtOnce = this.atOnce;
			this.atOnce = entry;
		}
	}

	synchronized void remove(Upkeep entry) {
		drop(entry);
	}

	private void drop(Upkeep entry) {
		if (entry.tick == Upkeep.NOT_SCHEDULED) {
			return;
		}
		Set<Upkeep> same = this.ticks.get(entry.tick);
		if (same != null && same.remove(entry) && same.isEmpty()) {
			this.ticks.remove(entry.tick);
		}
		entry.tick = Upkeep.NOT_SCHEDULED;
	}

	/**
	 * Takes the entries that are due.
	 */
	synchronized List<Upkeep> take(long nowNanos) {
		List<Upkeep> due = new ArrayList<>();
		try {
			takeAtOnce(due);
			takeTicks(due, Math.floorDiv(nowNanos - this.originNanos, TICK_NANOS));
		}
		catch (Error ex) {
			for (int i = 0; i < due.size(); i++) {
				putBack(due.get(i));
			}
			throw ex;
		}
		return due;
	}

	private void takeAtOnce(List<Upkeep> due) {
		for (Upkeep each = this.atOnce; each != null; each = this.atOnce) {
			due.add(each);
			this.atOnce = each.nextAtOnce;
			each.atOnce = false;
			each.nextAtOnce = null;
		}
	}

	private void takeTicks(List<Upkeep> due, long now) {
		for (Map.Entry<Long, Set<Upkeep>> first = this.ticks.firstEntry(); first != null
				&& first.getKey() <= now; first = this.ticks.firstEntry()) {
			for (Upkeep each : first.getValue()) {
				each.tick = Upkeep.NOT_SCHEDULED;
				due.add(each);
			}
			this.ticks.remove(first.getKey());
		}
	}

	/**
	 * When the next look is due, at the latest at a given moment; the watchdog sleeps
	 * until then.
	 */
	synchronized long sleepUntil(long latestNanos) {
		long until = (this.atOnce != null) ? Time.earlier(latestNanos, this.host.nanoTime()) : latestNanos;
		if (!this.ticks.isEmpty()) {
			until = Time.earlier(until, this.originNanos + this.ticks.firstKey() * TICK_NANOS);
		}
		this.awakeAtNanos = until;
		return until;
	}

	/**
	 * Rounds a moment down to a multiple of {@code gridNanos}, so that what is due at
	 * about the same time is looked at together.
	 */
	long floor(long nanos, long gridNanos) {
		return this.originNanos + Math.floorDiv(nanos - this.originNanos, gridNanos) * gridNanos;
	}

}
