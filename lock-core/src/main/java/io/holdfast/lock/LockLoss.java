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

package io.holdfast.lock;

import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;

/**
 * Tells that a hold ended before it was released.
 *
 * @param name the lock's name
 * @param fair whether its owner had asked to be served first come, first served
 * @param token the fencing token of the lost grant
 * @param at when it was lost, by the wall clock of this process; for display
 * @param cause how it was lost
 * @param held for how long its owner had it until then
 */
public record LockLoss(String name, boolean fair, long token, Instant at, Cause cause,
		Duration held) implements Serializable {

	/**
	 * How a hold was lost.
	 */
	public enum Cause {

		/**
		 * Its lease ended and was not, or could not be, renewed in time.
		 */
		EXPIRED,

		/**
		 * Redis no longer knows the hold: its data was lost (restart, failover,
		 * eviction), the key was deleted, the lease ended by Redis' clock, or others took
		 * it over.
		 */
		GONE,

		/**
		 * An operator released it by force.
		 */
		FORCED,

		/**
		 * Its owner has had it for as long as it may
		 * ({@link LockOptions#maxHold(Duration)}). It is not renewed any more: in Redis
		 * it ends with its lease, or when its owner gives it back.
		 */
		MAX_HOLD,

		/**
		 * Its client was closed while its owner was still at work. It is not renewed any
		 * more: in Redis it ends with its lease, or when its owner gives it back.
		 */
		CLOSED,

		/**
		 * An unexpected {@link Error} hit what its client knew of the lock. It is not
		 * renewed any more: in Redis it ends with its lease, or when its owner gives it
		 * back.
		 */
		ERROR

	}

}
