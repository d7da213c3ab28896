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
import java.util.Optional;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseSemaphore;
import io.holdfast.lock.LockOptions;

/**
 * Permits of a client.
 *
 * @param client whose they are
 * @param name the name
 * @param limit how many there are
 */
record SemaphoreView(AbstractLockClient client, String name, int limit) implements LeaseSemaphore {

	private LockOptions options(int units) {
		return LockOptions.defaults().permits(units, this.limit);
	}

	@Override
	public Lease acquire(int units) throws InterruptedException {
		return this.client.acquire(this.name, options(units));
	}

	@Override
	public Optional<Lease> tryAcquire(int units, Duration maxWait) throws InterruptedException {
		return this.client.tryAcquire(this.name, options(units).waitTime(maxWait));
	}

	@Override
	public String toString() {
		return "LeaseSemaphore[" + this.name + ", " + this.limit + "]";
	}

}
