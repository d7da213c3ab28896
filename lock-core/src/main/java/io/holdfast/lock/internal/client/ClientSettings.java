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
import io.holdfast.lock.internal.engine.EngineSettings;
import io.holdfast.lock.internal.engine.LeaseSpec;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.ServerSettings;

/**
 * How a client works, whatever server it uses.
 *
 * @param keys how names become keys
 * @param clientId this client, as it stands at the server
 * @param waitTime wait of callers who name none
 * @param leaseTime lease of callers who name none
 * @param leaseCheck refuses a lease that the servers cannot guarantee
 * @param waits turns the longest wait of a caller into another; tests cut waits short
 * @param engine what the engine has to know
 * @param observers who wants to know of everything
 * @param nanoTime the monotonic clock
 */
public record ClientSettings(LockKeys keys, String clientId, Duration waitTime, Duration leaseTime,
		Consumer<Duration> leaseCheck, UnaryOperator<Duration> waits, EngineSettings engine,
		List<LockObserver> observers, LongSupplier nanoTime) {

	/**
	 * Check the settings.
	 * @throws IllegalArgumentException if one is out of its bounds
	 */
	public ClientSettings {
		// Refuses what is out of bounds.
		LockOptions.defaults().waitTime(waitTime).leaseTime(leaseTime);
		ServerSettings.check("Watchdog timeout", engine.watchdogTimeout(), Duration.ofMillis(100), Duration.ofDays(1));
		ServerSettings.check("Waiter timeout", engine.waiterTimeout(), Duration.ofMillis(100), Duration.ofMinutes(5));
		if (engine.maxLocalHandoffs() < 0 || engine.maxLocalHandoffs() > 10_000) {
			throw new IllegalArgumentException(
					"Max local hand-overs must be between 0 and 10000: " + engine.maxLocalHandoffs());
		}
		checkThreshold("Held too long", engine.heldTooLong());
		checkThreshold("Wait too long", engine.waitTooLong());
	}

	private static void checkThreshold(String what, Duration threshold) {
		if (!threshold.isZero()) {
			ServerSettings.check(what, threshold, Duration.ofMillis(100), Duration.ofDays(366));
		}
	}

	/**
	 * A lease as a caller asks for it.
	 * @throws IllegalArgumentException if there is no such lease
	 */
	LeaseSpec lease(Duration lease) {
		// As above.
		LockOptions.defaults().leaseTime(lease);
		if (lease.equals(LockOptions.WATCHDOG)) {
			return new LeaseSpec(this.engine.watchdogTimeout().toMillis(), true);
		}
		this.leaseCheck.accept(lease);
		return new LeaseSpec(lease.toMillis(), false);
	}

}
