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

package io.holdfast.lock.internal.operator;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.holdfast.lock.internal.engine.LockView.Held;
import io.holdfast.lock.internal.engine.Waiter;
import io.holdfast.lock.internal.operator.TooLong.Wait;
import org.jspecify.annotations.Nullable;

/**
 * Finds threads of this client that wait for each other in a cycle, each for a lock that
 * the next one holds. For one thread at a time.
 */
final class Deadlocks {

	/*
	 * Algorithm. A thread waits for one lock at most, and for every thread that keeps it
	 * from that lock. Who waits for nobody that waits is taken out, until each one left
	 * waits for another one left: then a path from anywhere comes back to where it has
	 * been, and has found a cycle. Of cycles that share a thread one is found at a time.
	 *
	 * The locks are looked at one after another, and yet each cycle was true at one
	 * moment, the beginning of the look: each of its waits began before that and had not
	 * ended when it was seen, and each of its threads got the lock that it has in the
	 * cycle before it began to wait, and had it still when that was seen. Waits that
	 * began after the look before this one are left out, as many end by themselves.
	 *
	 * Left out, too: locks held through a Lease, as any thread may close one; permits
	 * that others have, as any of them may do; who only waits behind somebody in the
	 * queue; and cycles that lead through another client.
	 */

	private final Set<Object> told = new HashSet<>();

	/**
	 * Searches those who wait.
	 * @param beforeNanos waits that count began before that
	 * @return the cycles that were not told of before, in wait order
	 */
	List<List<Wait>> find(List<Wait> waits, long beforeNanos, long nowNanos) {
		// By identity: a subclass of Thread may have an equals of its own.
		IdentityHashMap<Thread, Wait> blocked = new IdentityHashMap<>();
		for (Wait each : waits) {
			if (each.waiter().owner() instanceof Thread thread && each.waiter().sinceNanos() - beforeNanos < 0) {
				blocked.put(thread, each);
			}
		}
		while (blocked.values().removeIf((each) -> next(each, blocked, nowNanos) == null)) {
			// One that has waited for those may be left without any.
		}
		Set<Waiter> seen = new HashSet<>();
		List<List<Wait>> cycles = new ArrayList<>();
		for (Wait start : blocked.values()) {
			List<Wait> path = new ArrayList<>();
			Wait at = start;
			for (; at != null && seen.add(at.waiter()); at = next(at, blocked, nowNanos)) {
				path.add(at);
			}
			if (path.contains(at)) {
				cycles.add(path.subList(path.indexOf(at), path.size()));
			}
		}
		return TooLong.untold(cycles, (cycle) -> cycle.stream().map(Wait::waiter).collect(Collectors.toSet()),
				this.told);
	}

	/**
	 * One that waits, too, and has what another one waits for; or {@code null}.
	 */
	private static @Nullable Wait next(Wait wait, IdentityHashMap<Thread, Wait> blocked, long nowNanos) {
		for (Held held : wait.lock().holds()) {
			Wait holder = (held.grant().owner() instanceof Thread owner) ? blocked.get(owner) : null;
			if (holder != null && held.wish().excludes(wait.waiter().wish()) && held.grant().isHeld(nowNanos)
					&& held.grant().sinceNanos() - holder.waiter().sinceNanos() <= 0) {
				return holder;
			}
		}
		return null;
	}

}
