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

package io.holdfast.lock.internal.server;

import java.time.Duration;

import io.holdfast.lock.LockOptions;

/**
 * How locks on several independent servers work.
 *
 * @param timeout how long to wait for servers that are slow to answer
 * @param restartGuard how long a server that was started does not grant anything, because
 * it may have forgotten what it had granted; no lease may be longer. Zero if no server
 * forgets
 */
public record QuorumSettings(Duration timeout, Duration restartGuard) {

	public QuorumSettings {
		ServerSettings.check("Quorum timeout", timeout, Duration.ofMillis(10), Duration.ofMinutes(1));
		ServerSettings.check("Restart guard", restartGuard, Duration.ZERO, Duration.ofDays(1));
	}

	/**
	 * Returns the restart guard as servers know their age, in seconds, and not less.
	 */
	public long restartGuardSeconds() {
		return (this.restartGuard.toMillis() + 999) / 1000;
	}

	/**
	 * Refuses a lease that a server which was started anew may have forgotten when it
	 * grants again.
	 */
	public void checkLease(Duration lease) {
		if (!this.restartGuard.isZero() && lease.compareTo(this.restartGuard) > 0) {
			throw new IllegalArgumentException("Lease of a lock on a quorum must not be longer than its restart guard, "
					+ LockOptions.describe(this.restartGuard) + ": " + LockOptions.describe(lease));
		}
	}

}
