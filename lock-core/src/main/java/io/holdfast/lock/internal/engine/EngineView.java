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

import java.util.List;
import java.util.function.LongBinaryOperator;
import java.util.function.ToLongFunction;

import org.jspecify.annotations.Nullable;

/**
 * What others may see of the locks of a client. Thread-safe.
 */
public final class EngineView {

	private final EngineContext context;

	EngineView(EngineContext context) {
		this.context = context;
	}

	/**
	 * Who waits for a lock inside this client, in the order of their requests. Those of
	 * whom it is not known yet whether they have to wait are left out.
	 * @param threads how many threads of each request to name
	 */
	public List<LocalWaiters> waiting(String name, int threads) {
		LocalLock lock = this.context.locks.get(name);
		if (lock == null) {
			return List.of();
		}
		synchronized (lock) {
			return lock.entries()
				.stream()
				.filter((entry) -> !entry.isUnknown())
				.map((entry) -> entry.waiters.describe(entry, threads))
				.filter((waiters) -> waiters.count() > 0)
				.toList();
		}
	}

	/**
	 * The grant under a request, or {@code null} if there is none.
	 */
	public @Nullable Grant grant(String key, String id) {
		return this.context.find(key, id, (entry) -> entry.holding.grant());
	}

	/**
	 * The grant of the local owner, or {@code null}.
	 */
	public @Nullable Grant holder(String name) {
		LocalLock lock = this.context.locks.get(name);
		if (lock == null) {
			return null;
		}
		synchronized (lock) {
			QueueEntry holder = lock.holder();
			return (holder != null) ? holder.holding.grant() : null;
		}
	}

	/**
	 * Whether a request has a hold that this client has not given up.
	 */
	public boolean holds(String key, String id) {
		return Boolean.TRUE.equals(this.context.find(key, id, (entry) -> entry.holding.hasHold()));
	}

	/**
	 * Whether a request has a hold that had an owner in this client.
	 */
	public boolean hadOwner(String key, String id) {
		return Boolean.TRUE.equals(
				this.context.find(key, id, (entry) -> entry.holding.hasHold() && entry.holding.hold().wasGranted()));
	}

	/**
	 * How many locks have an owner in this client.
	 */
	public int held() {
		return (int) fold((entry) -> (entry.holding.grant() != null) ? 1 : 0, Long::sum);
	}

	/**
	 * How many of these locks are about to be lost for want of a renewal.
	 */
	public int late() {
		long now = this.context.now();
		return (int) fold((entry) -> entry.upkeep.isLate(now) ? 1 : 0, Long::sum);
	}

	/**
	 * How many callers want a lock and do not have it yet.
	 */
	public int waiting() {
		return (int) fold((entry) -> entry.waiters.size(), Long::sum);
	}

	/**
	 * How long ago the most overdue renewal of a held lock fell due.
	 */
	public long renewalLagNanos() {
		long now = this.context.now();
		return fold((entry) -> entry.upkeep.lagNanos(now), Math::max);
	}

	private long fold(ToLongFunction<QueueEntry> value, LongBinaryOperator operator) {
		long result = 0;
		for (LocalLock lock : this.context.locks.values()) {
			synchronized (lock) {
				for (QueueEntry entry : lock.entries()) {
					result = operator.applyAsLong(result, value.applyAsLong(entry));
				}
			}
		}
		return result;
	}

	/**
	 * How often the owner of a grant has acquired it.
	 */
	public int countOf(Grant grant) {
		synchronized (grant.entry.lock) {
			return grant.count();
		}
	}

	/**
	 * Whether no caller has a command on its way any more whose answer may bring a hold
	 * or a place, nor a hold: once the client is closed, it is about to give that up.
	 */
	public boolean isQuiet() {
		for (LocalLock lock : this.context.locks.values()) {
			synchronized (lock) {
				if (lock.entries().stream().anyMatch((entry) -> entry.isBusy() || entry.holding.hasHold())) {
					return false;
				}
			}
		}
		return true;
	}

}
