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

package io.holdfast.lock.local;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.redis.ContractClientBuilder;

/**
 * Describes a local client of the contract of locks.
 */
public final class LocalContractClientBuilder implements ContractClientBuilder {

	private static final Map<String, LocalLocks> LOCKS = new ConcurrentHashMap<>();

	private final LocalLockClientBuilder builder = LocalLockClient.builder();

	@Override
	public LocalContractClientBuilder keyPrefix(String keyPrefix) {
		this.builder.locks(LOCKS.computeIfAbsent(keyPrefix, (unused) -> new LocalLocks()));
		return this;
	}

	@Override
	public LocalContractClientBuilder waitTime(Duration waitTime) {
		this.builder.waitTime(waitTime);
		return this;
	}

	@Override
	public LocalContractClientBuilder leaseTime(Duration leaseTime) {
		this.builder.leaseTime(leaseTime);
		return this;
	}

	@Override
	public LocalContractClientBuilder watchdogTimeout(Duration watchdogTimeout) {
		this.builder.watchdogTimeout(watchdogTimeout);
		return this;
	}

	@Override
	public LocalContractClientBuilder waiterTimeout(Duration waiterTimeout) {
		this.builder.waiterTimeout(waiterTimeout);
		return this;
	}

	@Override
	public LocalContractClientBuilder tokenRetention(Duration tokenRetention) {
		return this;
	}

	@Override
	public LocalContractClientBuilder observer(LockObserver observer) {
		this.builder.observer(observer);
		return this;
	}

	@Override
	public LocalContractClientBuilder nanoTime(LongSupplier nanoTime) {
		this.builder.nanoTime(nanoTime);
		return this;
	}

	@Override
	public LockClient build() {
		return this.builder.build();
	}

}
