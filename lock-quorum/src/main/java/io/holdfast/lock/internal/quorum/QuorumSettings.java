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

package io.holdfast.lock.internal.quorum;

import java.time.Duration;
import java.util.List;

import io.holdfast.lock.internal.protocol.LockServer;
import io.holdfast.lock.internal.protocol.ServerSettings;
import io.holdfast.lock.internal.redis.RedisLockServer;
import io.holdfast.lock.internal.redis.ServerUnion;
import io.holdfast.lock.internal.text.DurationText;

/**
 * How locks on several independent servers work, by which the core makes one of them.
 *
 * @param timeout how long to wait for servers that are slow to answer
 * @param restartGuard how long a server that was started does not grant anything, because
 * it may have forgotten what it had granted; no lease may be longer. Zero if no server
 * forgets
 */
public record QuorumSettings(Duration timeout, Duration restartGuard) implements ServerUnion {

	public QuorumSettings {
		ServerSettings.check("Quorum timeout", timeout, Duration.ofMillis(10), Duration.ofMinutes(1));
		ServerSettings.check("Restart guard", restartGuard, Duration.ZERO, Duration.ofDays(1));
	}

	@Override
	public LockServer join(List<RedisLockServer> servers, ServerSettings settings) {
		return new QuorumLockServer(servers, settings, this);
	}

	/**
	 * Returns the restart guard as servers know their age, in seconds, and not less.
	 */
	long restartGuardSeconds() {
		return (this.restartGuard.toMillis() + 999) / 1000;
	}

	/**
	 * Refuses a lease that a server which was started anew may have forgotten when it
	 * grants again.
	 */
	@Override
	public void checkLease(Duration lease) {
		if (!this.restartGuard.isZero() && lease.compareTo(this.restartGuard) > 0) {
			throw new IllegalArgumentException("Lease of a lock on a quorum must not be longer than its restart guard, "
					+ DurationText.of(this.restartGuard) + ": " + DurationText.of(lease));
		}
	}

}
