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
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

import io.holdfast.lock.internal.engine.Look.BlockedThread;
import org.jspecify.annotations.Nullable;

/**
 * Finds threads of this client that wait for each other in a cycle, each for a lock that
 * the next one holds. For one thread at a time.
 */
final class Deadlocks {

	/*
	 * Algorithm. A thread waits for one lock at most, so from each there is at most one
	 * path: to the thread that holds that lock. A path that comes back to where it has
	 * been is a cycle. A thread that acquires several locks together, say "a" and "b",
	 * may be seen at both. If others hold both, it cannot go on before both are free, so
	 * it does not matter at which of them it is seen.
	 *
	 * The locks are looked at one after another, so what is seen of two of them need not
	 * have been true at once. So a cycle counts only if a second search finds the same
	 * waits in it. All of its threads have slept in those waits from the end of the first
	 * search to the beginning of the second one, and who sleeps gives nothing back: what
	 * the second search saw was true together. Leases that end, and waits that do, may
	 * end it at any time. Each cycle is told of once.
	 *
	 * Who owns a lock by a handle is not known: any thread may close it.
	 *
	 * A search looks at each lock of the client, so there is one only while somebody may
	 * wait behind a caller of this client. The flag for that is set inside the monitor of
	 * the lock, after the waiter joined, and cleared before the search looks at any lock:
	 * so either the search sees the waiter, or the flag stays set for the next one.
	 */

	private final EngineContext context;

	/**
	 * The waits in the cycles that the latest search has found.
	 */
	private Set<Waiter> suspected = Set.of();

	Deadlocks(EngineContext context) {
		this.context = context;
	}

	/**
	 * Whether a cycle awaits confirmation by a second search.
	 */
	boolean isSuspicious() {
		return !this.suspected.isEmpty();
	}

	/**
	 * Searches all locks, if somebody may wait.
	 */
	void find(Look look) {
		if (!this.context.contended) {
			this.suspected = Set.of();
			return;
		}
		this.context.contended = false;
		IdentityHashMap<Thread, Blocked> blocked = blocked();
		if (!blocked.isEmpty()) {
			this.context.contended = true;
		}
		Set<Waiter> found = new HashSet<>();
		Set<Thread> seen = Collections.newSetFromMap(new IdentityHashMap<>());
		for (Thread start : blocked.keySet()) {
			List<Blocked> cycle = cycle(start, blocked, seen);
			if (!cycle.stream().allMatch((each) -> each.waiter().deadlockReported)) {
				take(cycle, found, look);
			}
		}
		this.suspected = found;
	}

	private void take(List<Blocked> cycle, Set<Waiter> found, Look look) {
		boolean certain = cycle.stream().allMatch((each) -> this.suspected.contains(each.waiter()));
		if (certain) {
			look.addDeadlock(cycle.stream().map(Blocked::describe).toList());
			cycle.forEach((each) -> each.waiter().deadlockReported = true);
		}
		else {
			cycle.forEach((each) -> found.add(each.waiter()));
		}
	}

	/**
	 * Who waits for a lock that another thread of this client holds.
	 */
	private IdentityHashMap<Thread, Blocked> blocked() {
		IdentityHashMap<Thread, Blocked> all = new IdentityHashMap<>();
		for (LocalLock lock : this.context.locks.values()) {
			synchronized (lock) {
				Thread holder = holderOf(lock);
				if (holder != null) {
					for (QueueEntry entry : lock.entries()) {
						addWaiters(entry, holder, all);
					}
				}
			}
		}
		return all;
	}

	private static @Nullable Thread holderOf(LocalLock lock) {
		QueueEntry holder = lock.holder();
		Grant grant = (holder != null) ? holder.holding.grant() : null;
		return (grant != null && grant.isLive() && grant.owner() instanceof Thread thread) ? thread : null;
	}

	private static void addWaiters(QueueEntry entry, Thread holder, IdentityHashMap<Thread, Blocked> all) {
		for (Waiter each = entry.waiters.first(); each != null; each = each.behind) {
			if (each.owner instanceof Thread thread && each.waits()) {
				all.put(thread, new Blocked(thread, each, entry.name(), holder));
			}
		}
	}

	/**
	 * The cycle to which the way from a thread leads, unless it was found before.
	 */
	private static List<Blocked> cycle(Thread start, IdentityHashMap<Thread, Blocked> blocked, Set<Thread> seen) {
		List<Blocked> way = new ArrayList<>();
		Thread at = start;
		for (Blocked next = blocked.get(at); next != null && seen.add(at); next = blocked.get(at)) {
			way.add(next);
			at = next.holder();
		}
		for (int i = 0; i < way.size(); i++) {
			if (way.get(i).thread() == at) {
				return way.subList(i, way.size());
			}
		}
		return List.of();
	}

	/**
	 * A thread that waits for another one of this client.
	 *
	 * @param thread who waits
	 * @param waiter its wait
	 * @param lockName for which lock
	 * @param holder who holds that
	 */
	private record Blocked(Thread thread, Waiter waiter, String lockName, Thread holder) {

		BlockedThread describe() {
			return new BlockedThread(this.thread, this.lockName);
		}

	}

}
