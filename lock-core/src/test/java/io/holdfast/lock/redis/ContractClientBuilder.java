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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockListener;
import io.holdfast.lock.local.LocalClients;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.local.LocalLockClientBuilder;
import io.holdfast.lock.local.LocalLocks;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Describes a client of {@link LockContract}, on Redis or local. Local ones share their
 * locks if they have the same key prefix.
 */
final class ContractClientBuilder {

	private static final Map<String, LocalLocks> LOCAL_LOCKS = new ConcurrentHashMap<>();

	/**
	 * {@code null} if the client is to be local.
	 */
	private final RedisLockClientBuilder redis;

	private final LocalLockClientBuilder local = LocalLockClient.builder();

	ContractClientBuilder(RedisConnectionFactory connections) {
		this.redis = (connections != null) ? RedisLockClient.builder(connections) : null;
	}

	ContractClientBuilder keyPrefix(String keyPrefix) {
		if (this.redis != null) {
			this.redis.keyPrefix(keyPrefix);
		}
		this.local.locks(LOCAL_LOCKS.computeIfAbsent(keyPrefix, (unused) -> new LocalLocks()));
		return this;
	}

	ContractClientBuilder waitTime(Duration waitTime) {
		if (this.redis != null) {
			this.redis.waitTime(waitTime);
		}
		this.local.waitTime(waitTime);
		return this;
	}

	ContractClientBuilder leaseTime(Duration leaseTime) {
		if (this.redis != null) {
			this.redis.leaseTime(leaseTime);
		}
		this.local.leaseTime(leaseTime);
		return this;
	}

	ContractClientBuilder watchdogTimeout(Duration watchdogTimeout) {
		if (this.redis != null) {
			this.redis.watchdogTimeout(watchdogTimeout);
		}
		this.local.watchdogTimeout(watchdogTimeout);
		return this;
	}

	ContractClientBuilder waiterTimeout(Duration waiterTimeout) {
		if (this.redis != null) {
			this.redis.waiterTimeout(waiterTimeout);
		}
		this.local.waiterTimeout(waiterTimeout);
		return this;
	}

	/**
	 * Local ones have one that cannot be set.
	 */
	ContractClientBuilder tokenRetention(Duration tokenRetention) {
		if (this.redis != null) {
			this.redis.tokenRetention(tokenRetention);
		}
		return this;
	}

	ContractClientBuilder listener(LockListener listener) {
		if (this.redis != null) {
			this.redis.listener(listener);
		}
		this.local.listener(listener);
		return this;
	}

	ContractClientBuilder nanoTime(LongSupplier nanoTime) {
		if (this.redis != null) {
			this.redis.nanoTime(nanoTime);
		}
		LocalClients.setNanoTime(this.local, nanoTime);
		return this;
	}

	LockClient build() {
		return (this.redis != null) ? this.redis.build() : this.local.build();
	}

}
