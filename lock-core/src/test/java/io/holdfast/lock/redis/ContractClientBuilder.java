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

/**
 * Describes a client of {@link LockContract}, on Redis or local. Local ones share their
 * locks if they have the same key prefix; lock-local's tests bring them as a service.
 */
public interface ContractClientBuilder {

	ContractClientBuilder keyPrefix(String keyPrefix);

	ContractClientBuilder waitTime(Duration waitTime);

	ContractClientBuilder leaseTime(Duration leaseTime);

	ContractClientBuilder watchdogTimeout(Duration watchdogTimeout);

	ContractClientBuilder waiterTimeout(Duration waiterTimeout);

	/**
	 * Local ones have one that cannot be set.
	 */
	ContractClientBuilder tokenRetention(Duration tokenRetention);

	ContractClientBuilder observer(LockObserver observer);

	ContractClientBuilder nanoTime(LongSupplier nanoTime);

	LockClient build();

}
