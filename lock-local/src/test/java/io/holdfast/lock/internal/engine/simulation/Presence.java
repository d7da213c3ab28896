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

package io.holdfast.lock.internal.engine.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.WaiterInfo;

/**
 * Who had each lock, or waited for it, and until when: to judge whether it was true that
 * another had it.
 */
final class Presence {

	private static final long NOW = Long.MAX_VALUE;

	private final Simulation simulation;

	private final World world;

	/**
	 * By lock: requests that held it and clients that waited at the server, and until
	 * when.
	 */
	private final Map<String, Map<String, Long>> atServer = new HashMap<>();

	/**
	 * By lock: callers that wanted it or had it, and until when.
	 */
	private final Map<String, Map<Caller, Long>> local = new HashMap<>();

	private final Map<Caller, Long> begun = new HashMap<>();

	private final Map<Caller, Set<String>> asked = new HashMap<>();

	Presence(Simulation simulation) {
		this.simulation = simulation;
		this.world = simulation.world();
	}

	void begins(Caller caller, String lock) {
		this.begun.put(caller, this.world.nanos());
		this.asked.computeIfAbsent(caller, (unused) -> new HashSet<>()).clear();
		this.local.computeIfAbsent(lock, (unused) -> new HashMap<>()).put(caller, NOW);
	}

	void asks(Caller caller, String id) {
		this.asked.get(caller).add(id);
	}

	void leaves(Caller caller) {
		this.local.values().forEach((each) -> each.computeIfPresent(caller, (unused, until) -> now(until)));
	}

	private long now(long until) {
		return Math.min(until, this.world.nanos());
	}

	/**
	 * Looks at the server, which has just done something.
	 */
	void executed() {
		for (String lock : this.simulation.names()) {
			Map<String, Long> present = this.atServer.computeIfAbsent(lock, (unused) -> new HashMap<>());
			HoldInfo hold = this.simulation.describe(lock);
			List<WaiterInfo> waiters = this.simulation.waiters(lock, Integer.MAX_VALUE);
			Iterator<Map.Entry<String, Long>> each = present.entrySet().iterator();
			while (each.hasNext()) {
				Map.Entry<String, Long> entry = each.next();
				entry.setValue(now(entry.getValue()));
			}
			if (hold != null) {
				present.put(hold.id(), this.world.nanos() + World.millis(hold.leftMillis() + 1));
			}
			waiters.forEach((waiter) -> present.put(waiter.client(), NOW));
		}
	}

	/**
	 * Whether another than a caller had a lock or waited for it, at any time since the
	 * caller began.
	 */
	boolean hadRival(Caller caller, String lock) {
		long since = this.begun.get(caller);
		boolean here = this.local.get(lock)
			.entrySet()
			.stream()
			.anyMatch((each) -> each.getKey() != caller && each.getKey().client() == caller.client()
					&& each.getValue() >= since);
		return here || this.atServer.getOrDefault(lock, Map.of())
			.entrySet()
			.stream()
			.anyMatch((each) -> !this.asked.get(caller).contains(each.getKey())
					&& !each.getKey().equals(caller.client().name()) && each.getValue() >= since);
	}

}
