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

import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.holdfast.lock.internal.engine.Context;
import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.engine.LockTable;
import io.holdfast.lock.internal.engine.LockView;
import io.holdfast.lock.internal.engine.LockView.Held;

/**
 * What the callers of a client hold and wait for. Looks at one lock after another, and
 * only when somebody asks. Thread-safe.
 *
 * @param context what its locks have in common
 * @param table its locks
 * @param nanoTime its clock
 */
public record EngineView(Context context, LockTable table, LongSupplier nanoTime) {

	long now() {
		return this.nanoTime.getAsLong();
	}

	List<LockView> locks() {
		return this.table.all().stream().map(LockState::view).toList();
	}

	/**
	 * Those for which callers of this client wait.
	 */
	List<LockView> waitedFor() {
		return this.table.all().stream().filter(LockState::isWaitedFor).map(LockState::view).toList();
	}

	LockView lock(String name) {
		LockState state = this.table.find(name);
		return (state != null) ? state.view() : new LockView(name, List.of(), List.of());
	}

	/**
	 * How many owners have a lock; one that has several counts for each.
	 */
	int held() {
		return (int) holds().count();
	}

	/**
	 * How many of these are not sure that they still have it.
	 */
	int unsure() {
		long now = now();
		return (int) holds().map(Held::grant).filter((grant) -> grant.isHeld(now) && !grant.isValid(now)).count();
	}

	/**
	 * How many callers want a lock and do not have it yet.
	 */
	int waiting() {
		return waitedFor().stream()
			.flatMap((lock) -> lock.queues().stream())
			.mapToInt((queue) -> queue.waiters().size())
			.sum();
	}

	/**
	 * How long ago the most overdue renewal of a held lock fell due.
	 */
	long renewalLagNanos() {
		long now = now();
		return holds().mapToLong((held) -> lagNanos(held, now)).max().orElse(0);
	}

	/**
	 * Whether a renewal is overdue by at least the remaining lease: two thirds of the
	 * lease have then passed.
	 */
	boolean isRenewalLate() {
		long now = now();
		return holds().filter(Held::renewed).anyMatch((held) -> lagNanos(held, now) >= held.grant().untilNanos() - now);
	}

	private static long lagNanos(Held held, long now) {
		return held.renewed() ? Math.max(0, now - held.renewalNanos()) : 0;
	}

	private Stream<Held> holds() {
		return locks().stream().flatMap((lock) -> lock.holds().stream());
	}

}
