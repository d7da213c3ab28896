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
import java.util.List;

import io.holdfast.lock.internal.protocol.Wish;

/**
 * What others may see of a lock in this client, as it was at one moment.
 *
 * @param name the name of the lock
 * @param holds what its owners have, by hold in the order in which they got it
 * @param queues who waits, by request
 */
public record LockView(String name, List<Held> holds, List<Queue> queues) {

	static LockView of(String name, Claims claims) {
		List<Held> holds = new ArrayList<>(1);
		for (Hold hold : claims.holders) {
			hold.grants.forEach((grant) -> holds.add(new Held(grant, hold.wish, grant.alone + grant.shared,
					hold.watched && !hold.isOrphaned(), hold.renewalDueNanos)));
		}
		List<Queue> queues = new ArrayList<>(1);
		for (Line line : claims.lines()) {
			if (line.hasWaiters()) {
				Request asking = line.asking;
				Request first = (asking != null) ? asking : line.held.get(0).request;
				queues.add(new Queue(first.id, line.wish, first.isQueued(), line.waiters()));
			}
		}
		return new LockView(name, holds, queues);
	}

	/**
	 * What an owner has.
	 *
	 * @param grant the grant
	 * @param wish what was asked for
	 * @param count how often its owner has acquired it
	 * @param renewed whether it is renewed
	 * @param renewalNanos when the next renewal was to be sent that has no answer yet
	 */
	public record Held(Grant grant, Wish wish, int count, boolean renewed, long renewalNanos) {
	}

	/**
	 * Callers who wait for the same.
	 *
	 * @param id the request that asks for it; the one that holds it, if they get it from
	 * its owner
	 * @param wish what they wait for
	 * @param queued whether the request has a place in the queue of the server, as far as
	 * is known
	 * @param waiters the callers, in their order
	 */
	public record Queue(String id, Wish wish, boolean queued, List<Waiter> waiters) {
	}

}
