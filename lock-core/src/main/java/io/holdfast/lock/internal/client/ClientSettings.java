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

package io.holdfast.lock.internal.client;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.ServerSettings;

/**
 * How a client works, whatever server it uses.
 *
 * @param keys how names become keys
 * @param clientId this client, as it stands at the server
 * @param waitTime wait of callers who name none
 * @param leaseTime lease of callers who name none
 * @param leaseCheck refuses a lease that the servers cannot guarantee
 * @param waits adjusts a caller's maximum wait; tests shorten it
 * @param watchdogTimeout lease of holds that the watchdog renews
 * @param waiterTimeout how long a place in the queue lasts without renewal, and how long
 * the server may fail without a break before those who wait give up
 * @param takeoverAfter after which time others may have what it holds when it is dead;
 * zero for no sooner than its leases end
 * @param maxLocalHandoffs local hand-overs in a row while another client waits
 * @param maxWaiters behind how many callers those wait who name no number; 0 for any
 * @param maxHold how long owners have a lock who name no time
 * @param heldTooLong after which time a hold is told of; zero for never
 * @param waitTooLong after which time a wait is told of; zero for never
 * @param observers who wants to know of everything
 * @param nanoTime the monotonic clock
 */
public record ClientSettings(LockKeys keys, String clientId, Duration waitTime, Duration leaseTime,
		Consumer<Duration> leaseCheck, UnaryOperator<Duration> waits, Duration watchdogTimeout, Duration waiterTimeout,
		Duration takeoverAfter, int maxLocalHandoffs, int maxWaiters, Duration maxHold, Duration heldTooLong,
		Duration waitTooLong, List<LockObserver> observers, LongSupplier nanoTime) {

	/**
	 * Check the settings.
	 * @throws IllegalArgumentException if one is out of its bounds
	 */
	public ClientSettings {
		// Refuses what is out of bounds.
		LockOptions.defaults().waitTime(waitTime).leaseTime(leaseTime).maxWaiters(maxWaiters).maxHold(maxHold);
		ServerSettings.check("Watchdog timeout", watchdogTimeout, Duration.ofMillis(100), Duration.ofDays(1));
		ServerSettings.check("Waiter timeout", waiterTimeout, Duration.ofMillis(100), Duration.ofMinutes(5));
		checkUnlessZero("Takeover after", takeoverAfter, Duration.ofMillis(500), watchdogTimeout.dividedBy(3));
		if (maxLocalHandoffs < 0 || maxLocalHandoffs > 10_000) {
			throw new IllegalArgumentException("Max local hand-overs must be between 0 and 10000: " + maxLocalHandoffs);
		}
		checkUnlessZero("Held too long", heldTooLong, Duration.ofMillis(100), Duration.ofDays(366));
		checkUnlessZero("Wait too long", waitTooLong, Duration.ofMillis(100), Duration.ofDays(366));
	}

	private static void checkUnlessZero(String what, Duration value, Duration min, Duration max) {
		if (!value.isZero()) {
			ServerSettings.check(what, value, min, max);
		}
	}

	/**
	 * A lease in milliseconds, as the server is asked for it.
	 */
	long leaseMillis(Duration lease) {
		return (lease.equals(LockOptions.WATCHDOG) ? this.watchdogTimeout : lease).toMillis();
	}

	/**
	 * The longest time between two looks of the watchdog: a renewal is due after a third
	 * of its lease, and this has it sent before half of the lease is over.
	 */
	long lookNanos() {
		long lease = Math.min(this.watchdogTimeout.toNanos(), this.waiterTimeout.toNanos()) / 6;
		long most = Math.min(1_000_000_000L, lease);
		return this.takeoverAfter.isZero() ? most : Math.min(this.takeoverAfter.toNanos() / 4, most);
	}

}
