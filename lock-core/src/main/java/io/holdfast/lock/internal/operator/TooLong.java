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

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LockView;
import io.holdfast.lock.internal.engine.LockView.Held;
import io.holdfast.lock.internal.engine.Waiter;

/**
 * Finds what is held and who waits for too long, and threads that wait for each other,
 * each once. Looks about once a second, at all locks of the client only if somebody wants
 * to know what is held, else at those for which its callers wait. For one thread at a
 * time.
 */
public final class TooLong {

	private static final long NEVER = Long.MAX_VALUE;

	private final EngineView view;

	private final long heldNanos;

	private final long waitNanos;

	private final long intervalNanos;

	private final Deadlocks deadlocks = new Deadlocks();

	private final Set<Object> toldHolds = new HashSet<>();

	private final Set<Object> toldWaits = new HashSet<>();

	private long latestNanos;

	/**
	 * Create the search.
	 * @param held from which time on a hold is told of; zero for never
	 * @param wait from which time on a wait is told of; zero for never
	 * @param intervalNanos the time between two looks
	 */
	public TooLong(EngineView view, Duration held, Duration wait, long intervalNanos) {
		this.view = view;
		this.heldNanos = held.isZero() ? NEVER : held.toNanos();
		this.waitNanos = wait.isZero() ? NEVER : wait.toNanos();
		this.intervalNanos = intervalNanos;
		this.latestNanos = view.now();
	}

	/**
	 * Looks, if it is time.
	 */
	public Found look() {
		long now = this.view.now();
		if (now - this.latestNanos < this.intervalNanos) {
			return new Found(List.of(), List.of(), List.of());
		}
		long before = this.latestNanos;
		this.latestNanos = now;
		List<LockView> locks = (this.heldNanos != NEVER) ? this.view.locks() : this.view.waitedFor();
		List<Wait> waits = locks.stream().flatMap(Wait::of).toList();
		return new Found(longHolds(locks, now), longWaits(waits, now), this.deadlocks.find(waits, before, now));
	}

	private List<Grant> longHolds(List<LockView> locks, long nowNanos) {
		List<Grant> found = locks.stream()
			.flatMap((lock) -> lock.holds().stream())
			.map(Held::grant)
			.filter((each) -> nowNanos - each.sinceNanos() >= this.heldNanos && each.isHeld(nowNanos))
			.toList();
		return untold(found, Function.identity(), this.toldHolds);
	}

	private List<List<Wait>> longWaits(List<Wait> waits, long nowNanos) {
		List<Wait> found = waits.stream()
			.filter((each) -> nowNanos - each.waiter().sinceNanos() >= this.waitNanos)
			.toList();
		Map<String, List<Wait>> byName = untold(found, Wait::waiter, this.toldWaits).stream()
			.collect(Collectors.groupingBy((each) -> each.lock().name(), LinkedHashMap::new, Collectors.toList()));
		return List.copyOf(byName.values());
	}

	/**
	 * Those that were not told of before. They are from now on, until they are over.
	 */
	static <T> List<T> untold(List<T> found, Function<? super T, ?> identity, Set<Object> told) {
		told.retainAll(found.stream().map(identity).collect(Collectors.toSet()));
		return found.stream().filter((each) -> told.add(identity.apply(each))).toList();
	}

	/**
	 * A caller that waits for a lock.
	 *
	 * @param waiter its wait
	 * @param lock the lock, as it was then
	 */
	public record Wait(Waiter waiter, LockView lock) {

		private static Stream<Wait> of(LockView lock) {
			return lock.queues()
				.stream()
				.flatMap((queue) -> queue.waiters().stream())
				.map((waiter) -> new Wait(waiter, lock));
		}

	}

	/**
	 * What a look has found, and none before.
	 *
	 * @param longHolds what is held for too long
	 * @param longWaits who waits for too long, those for one lock together
	 * @param deadlocks threads that wait for each other, in wait order: each waits for a
	 * lock that the next holds, the last for one of the first
	 */
	public record Found(List<Grant> longHolds, List<List<Wait>> longWaits, List<List<Wait>> deadlocks) {
	}

}
