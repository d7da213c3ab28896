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
import java.util.function.LongSupplier;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockObserver;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Describes a client of {@link LockContract} on Redis.
 */
final class RedisContractClientBuilder implements ContractClientBuilder {

	private final RedisLockClientBuilder builder;

	RedisContractClientBuilder(RedisConnectionFactory connections) {
		// A busy machine is no failure of the server.
		this.builder = RedisLockClient.builder(connections).commandTimeout(FaultClients.PATIENCE);
	}

	@Override
	public RedisContractClientBuilder keyPrefix(String keyPrefix) {
		this.builder.keyPrefix(keyPrefix);
		return this;
	}

	@Override
	public RedisContractClientBuilder waitTime(Duration waitTime) {
		this.builder.waitTime(waitTime);
		return this;
	}

	@Override
	public RedisContractClientBuilder leaseTime(Duration leaseTime) {
		this.builder.leaseTime(leaseTime);
		return this;
	}

	@Override
	public RedisContractClientBuilder watchdogTimeout(Duration watchdogTimeout) {
		this.builder.watchdogTimeout(watchdogTimeout);
		return this;
	}

	@Override
	public RedisContractClientBuilder waiterTimeout(Duration waiterTimeout) {
		this.builder.waiterTimeout(waiterTimeout);
		return this;
	}

	@Override
	public RedisContractClientBuilder tokenRetention(Duration tokenRetention) {
		this.builder.tokenRetention(tokenRetention);
		return this;
	}

	@Override
	public RedisContractClientBuilder observer(LockObserver observer) {
		this.builder.observer(observer);
		return this;
	}

	@Override
	public RedisContractClientBuilder nanoTime(LongSupplier nanoTime) {
		// With such a clock, owners would hear from the server too rarely to be sure.
		this.builder.nanoTime(nanoTime).takeoverAfter(Duration.ZERO);
		return this;
	}

	@Override
	public LockClient build() {
		return this.builder.build();
	}

}
