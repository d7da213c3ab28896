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

package io.holdfast.lock.redis;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

import io.holdfast.lock.LockListener;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.internal.client.ClientSettings;
import io.holdfast.lock.internal.engine.EngineSettings;
import io.holdfast.lock.internal.engine.LockEvents;
import io.holdfast.lock.internal.quorum.QuorumSettings;
import io.holdfast.lock.internal.replicas.ReplicaSettings;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.ServerSettings;
import org.jspecify.annotations.Nullable;

/**
 * How a client works: what {@link RedisLockClientBuilder} collected, checked.
 *
 * @param keys how names become keys and channels
 * @param clientId this client, as it stands in Redis
 * @param waitTime wait of callers who name none
 * @param leaseTime lease of callers who name none
 * @param watchdogTimeout lease of holds that the watchdog renews
 * @param waiterTimeout how long a waiter's place lasts without renewal
 * @param tokenRetention how long a key outlives its use
 * @param maxLocalHandoffs local hand-overs in a row while another client waits; of fair
 * locks always
 * @param listeners who wants to know of losses
 * @param replicas how many replicas must have a lock, or {@code null} if none
 * @param quorum how a majority of several servers decides, or {@code null} where there is
 * only one
 */
record Settings(LockKeys keys, String clientId, Duration waitTime, Duration leaseTime, Duration watchdogTimeout,
		Duration waiterTimeout, Duration tokenRetention, int maxLocalHandoffs, List<LockListener> listeners,
		@Nullable ReplicaSettings replicas, @Nullable QuorumSettings quorum) {

	Settings {
		LockOptions.checkWaitTime(waitTime);
		LockOptions.checkLeaseTime(leaseTime);
		ServerSettings.check("Watchdog timeout", watchdogTimeout, Duration.ofMillis(100), Duration.ofDays(1));
		ServerSettings.check("Waiter timeout", waiterTimeout, Duration.ofMillis(100), Duration.ofMinutes(5));
		ServerSettings.check("Token retention", tokenRetention, Duration.ofMinutes(1), Duration.ofDays(30));
		if (maxLocalHandoffs < 0 || maxLocalHandoffs > 10_000) {
			throw new IllegalArgumentException("Max local hand-overs must be between 0 and 10000: " + maxLocalHandoffs);
		}
		if (quorum != null) {
			if (replicas != null) {
				throw new IllegalArgumentException(
						"Replica acknowledgement makes no sense on a quorum: its servers are no replicas");
			}
			quorum.checkLease(watchdogTimeout);
			if (!leaseTime.equals(LockOptions.WATCHDOG)) {
				quorum.checkLease(leaseTime);
			}
		}
	}

	/**
	 * Refuses a lease that the servers cannot guarantee.
	 */
	void checkLease(Duration lease) {
		if (this.quorum != null) {
			this.quorum.checkLease(lease);
		}
	}

	/**
	 * What the servers have to know of it.
	 */
	ServerSettings server() {
		return new ServerSettings(this.keys, this.clientId, this.waiterTimeout, this.tokenRetention);
	}

	/**
	 * What the client has to know of it.
	 */
	ClientSettings client(LongSupplier nanoTime) {
		EngineSettings engine = new EngineSettings(this.watchdogTimeout, this.waiterTimeout, this.maxLocalHandoffs,
				this.quorum == null, this.replicas != null);
		return new ClientSettings(this.keys, this.clientId, this.waitTime, this.leaseTime, this::checkLease, engine,
				this.listeners, LockEvents.NONE, nanoTime);
	}

}
