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

import java.time.Duration;

/**
 * What the engine knows of the settings of a client.
 *
 * @param watchdogTimeout lease of holds that the watchdog renews
 * @param waiterTimeout how long a place in the queue lasts without renewal, and how long
 * the server may fail without a break before those who wait give up
 * @param maxLocalHandoffs local hand-overs in a row while another client waits
 * @param queues whether the server has a queue; if not, waiters have to ask again
 * @param heldTooLong after which time a hold is told of; zero for never
 * @param waitTooLong after which time a wait is told of; zero for never
 */
public record EngineSettings(Duration watchdogTimeout, Duration waiterTimeout, int maxLocalHandoffs, boolean queues,
		Duration heldTooLong, Duration waitTooLong) {

	/**
	 * Settings that have no hold and no wait told of.
	 */
	public EngineSettings(Duration watchdogTimeout, Duration waiterTimeout, int maxLocalHandoffs, boolean queues) {
		this(watchdogTimeout, waiterTimeout, maxLocalHandoffs, queues, Duration.ZERO, Duration.ZERO);
	}

	/**
	 * Whether holds that last are told of.
	 */
	public boolean warnsOfLongHolds() {
		return !this.heldTooLong.isZero();
	}

	/**
	 * Whether waits that last are told of.
	 */
	public boolean warnsOfLongWaits() {
		return !this.waitTooLong.isZero();
	}

	/**
	 * The lease with which a handed-over hold starts.
	 */
	long handOverLeaseMillis() {
		return Math.min(this.watchdogTimeout.toMillis(), this.waiterTimeout.toMillis());
	}

	/**
	 * What must be left of a renewed hold for it to be used or passed on as it is.
	 */
	long minLeftNanos() {
		return Time.nanos(handOverLeaseMillis()) / 3;
	}

	/**
	 * The longest time between two looks at what waits or is renewed: a renewal is due
	 * after a third of its lease, and this has it sent before half of the lease is over.
	 * @return nanoseconds
	 */
	public long lookNanos() {
		return Math.min(Time.nanos(1000), Time.nanos(handOverLeaseMillis()) / 6);
	}

}
