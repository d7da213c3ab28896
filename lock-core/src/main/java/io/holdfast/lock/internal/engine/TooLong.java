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

import org.jspecify.annotations.Nullable;

/**
 * Finds what is held and who waits for too long, when the watchdog looks at an entry
 * anyway. A hold is looked at once its time is over, and an entry with waiters at each
 * look; both are told of once. Costs nothing where nobody wants to know.
 */
final class TooLong {

	private final EngineSettings settings;

	private final long heldNanos;

	private final long waitNanos;

	TooLong(EngineSettings settings) {
		this.settings = settings;
		this.heldNanos = settings.heldTooLong().toNanos();
		this.waitNanos = settings.waitTooLong().toNanos();
	}

	/**
	 * Looks at an entry. Needs the monitor of its lock.
	 */
	void find(QueueEntry entry, Look look, long nowNanos) {
		if (this.settings.warnsOfLongHolds()) {
			findHold(entry.holding.grant(), look, nowNanos);
		}
		if (this.settings.warnsOfLongWaits()) {
			findWaits(entry, look, nowNanos);
		}
	}

	private void findHold(@Nullable Grant grant, Look look, long nowNanos) {
		if (grant == null || grant.isReported() || grant.isOver(nowNanos)) {
			return;
		}
		if (nowNanos - grant.sinceNanos() >= this.heldNanos) {
			grant.markReported();
			look.addLongHold(grant);
		}
	}

	private void findWaits(QueueEntry entry, Look look, long nowNanos) {
		int callers = 0;
		long longest = 0;
		for (Waiter each = entry.waiters.first(); each != null; each = each.behind) {
			long waited = nowNanos - each.sinceNanos();
			if (!each.reported && waited >= this.waitNanos) {
				each.reported = true;
				callers++;
				longest = Math.max(longest, waited);
			}
		}
		if (callers > 0) {
			QueueEntry holder = entry.lock.holder();
			look.add(new Look.LongWait(entry.lock.key(), entry.name(), callers, longest,
					(holder != null) ? holder.holding.grant() : null));
		}
	}

}
