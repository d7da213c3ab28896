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

package io.holdfast.lock.chaos;

import java.time.Duration;

/**
 * What a library's users may rely on, above all times.
 *
 * @param lease the longest lease there is in a run
 * @param waiterTimeout how long a place in a queue lasts without a sign of life
 * @param commandTimeout how long a driver waits for an answer
 * @param validity how long after it was sent a request may be carried out
 * @param slack what a machine with too few processors may add
 * @param complete whether each grant has a token, and each loss is told
 * @param topology what they are promised on
 */
record Promises(Duration lease, Duration waiterTimeout, Duration commandTimeout, Duration validity, Duration slack,
		boolean complete, Topology topology) {

	/**
	 * How long a free lock may stay free while somebody waits for it: who should have it
	 * may have died, and so may the one after that. On a quorum votes whose answers were
	 * lost may be cast for as long as a request is valid, for nobody.
	 */
	long handOverNanos() {
		Duration deaths = this.lease.plus(this.waiterTimeout);
		Duration longest = (this.topology.votes() && this.validity.compareTo(deaths) > 0) ? this.validity : deaths;
		return longest.plus(this.slack).toNanos();
	}

	/**
	 * How long anybody may wait: for all who may come before, of whom some hold the lock
	 * for as long as they can.
	 */
	long patienceNanos() {
		return this.lease.plus(this.waiterTimeout).multipliedBy(3).toNanos();
	}

	/**
	 * How long an attempt may take.
	 */
	long attemptNanos() {
		return afterTimeouts(2);
	}

	/**
	 * How long a call may take, besides waiting. On a quorum votes may be split in each
	 * of three attempts.
	 */
	long callNanos() {
		return this.topology.votes() ? afterTimeouts(6) : attemptNanos();
	}

	private long afterTimeouts(int count) {
		return this.commandTimeout.multipliedBy(count).plus(this.slack).toNanos();
	}

	/**
	 * Since when at the latest the server had said what a grant told its owner: what it
	 * is told is no older than a lease. Another of its client may have been told before
	 * it came.
	 */
	long grantedSince(Attempt grant) {
		return grant.ended() - this.lease.toNanos();
	}

	/**
	 * How soon a loss is told.
	 */
	long tellNanos() {
		return this.lease.dividedBy(3).plus(this.slack).toNanos();
	}

}
