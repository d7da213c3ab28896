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

package io.holdfast.lock.quorum;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.holdfast.lock.internal.quorum.QuorumSettings;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Several Redis servers, of which a majority grants each lock, so that locks outlast the
 * failure of the others. They must be independent: none a replica of another, and no
 * cluster. Fair locks are not supported.
 * <p>
 * A {@link RedisLockClient} on them has one more thread for each server but the first,
 * and a few that ask the servers while it works.
 */
public final class RedisQuorum {

	private final List<RedisConnectionFactory> connectionFactories;

	private Duration timeout = Duration.ofMillis(500);

	private @Nullable Duration restartGuard;

	private RedisQuorum(List<RedisConnectionFactory> connectionFactories) {
		this.connectionFactories = connectionFactories;
	}

	/**
	 * Starts to describe a quorum.
	 * @param connectionFactories one for each server, 3 or 5 of them (any odd number up
	 * to 9); they stay the caller's to close, after the client. Their command timeouts
	 * should be short
	 * @return the quorum
	 */
	public static RedisQuorum of(List<? extends RedisConnectionFactory> connectionFactories) {
		int servers = connectionFactories.size();
		if (servers < 3 || servers > 9 || servers % 2 == 0) {
			throw new IllegalArgumentException("A quorum takes 3, 5, 7 or 9 servers, not " + servers);
		}
		return new RedisQuorum(List.copyOf(connectionFactories));
	}

	/**
	 * Sets how long to wait for servers that are slow to answer, while the others do not
	 * decide without them. Default 500 ms.
	 * @param timeout 10 ms to 1 minute
	 * @return this quorum
	 */
	public RedisQuorum timeout(Duration timeout) {
		this.timeout = Objects.requireNonNull(timeout, "Quorum timeout must not be null");
		return this;
	}

	/**
	 * Sets for how long a server that was started does not grant locks, because it may
	 * have forgotten what it had granted. No lease may be longer. Default: the watchdog
	 * timeout.
	 * @param restartGuard up to 1 day, in whole seconds; zero only if every server writes
	 * each command to disk before it answers
	 * @return this quorum
	 */
	public RedisQuorum restartGuard(Duration restartGuard) {
		this.restartGuard = Objects.requireNonNull(restartGuard, "Restart guard must not be null");
		return this;
	}

	/**
	 * Starts to describe a client whose locks are on this quorum.
	 * @return the builder, which checks the settings of the quorum, too
	 */
	public RedisLockClientBuilder clientBuilder() {
		return new RedisLockClientBuilder(this.connectionFactories,
				(watchdogTimeout) -> new QuorumSettings(this.timeout,
						Objects.requireNonNullElse(this.restartGuard, watchdogTimeout)));
	}

}
