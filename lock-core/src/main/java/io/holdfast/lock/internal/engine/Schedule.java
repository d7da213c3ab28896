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
			this.ticks.computeIfAbsent(tick, (unused) -> new LinkedHashSet<>()).add(entry);
			drop(entry);
			entry.tick = tick;
		}
		if (nanos - this.awakeAtNanos < 0) {
			this.host.wakeWatchdog();
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
		Map<Long, Set<Upkeep>> passed = this.ticks.headMap(Math.floorDiv(nowNanos - this.originNanos, TICK_NANOS),
				true);
		passed.values().forEach(due::addAll);
		due.forEach((each) -> each.tick = Upkeep.NOT_SCHEDULED);
		passed.clear();
		return due;
	}

	/**
	 * When the next look is due, at the latest at a given moment; the watchdog sleeps
	 * until then.
	 */
	synchronized long sleepUntil(long latestNanos) {
		long until = latestNanos;
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
