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

import io.holdfast.lock.internal.client.ClientSettings;
import io.holdfast.lock.internal.protocol.ServerSettings;
import org.jspecify.annotations.Nullable;

/**
 * The checked settings of a client, as {@link RedisLockClientBuilder} collected them.
 *
 * @param client what the client itself has to know
 * @param server what each server's side of the port has to know
 * @param commandTimeout how long a call waits for an answer at most
 */
record Settings(ClientSettings client, ServerSettings server, Duration commandTimeout) {

	/** Half of the shortest time after which others take over. */
	private static final Duration HALF_OF_SHORTEST = Duration.ofMillis(250);

	Settings {
		ServerSettings.check("Command timeout", commandTimeout, Duration.ofMillis(100), Duration.ofMinutes(1));
		ServerSettings.check("Token retention", server.tokenRetention(), Duration.ofMinutes(1), Duration.ofDays(30));
		client.leaseCheck().accept(client.watchdogTimeout());
		client.leaseCheck().accept(client.leaseTime());
	}

	/**
	 * How long after its death others have what a client held. By default, twice as long
	 * as a call waits for an answer.
	 */
	static Duration takeoverAfter(@Nullable Duration set, boolean onQuorum, Duration commandTimeout,
			Duration watchdogTimeout) {
		if (onQuorum) {
			ServerSettings.check("Takeover after on a quorum", (set != null) ? set : Duration.ZERO, Duration.ZERO,
					Duration.ZERO);
			return Duration.ZERO;
		}
		if (set != null) {
			return set;
		}
		Duration half = (commandTimeout.compareTo(HALF_OF_SHORTEST) < 0) ? HALF_OF_SHORTEST : commandTimeout;
		return (half.compareTo(watchdogTimeout.dividedBy(6)) <= 0) ? half.multipliedBy(2) : Duration.ZERO;
	}

}
