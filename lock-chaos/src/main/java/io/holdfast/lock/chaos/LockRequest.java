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

package io.holdfast.lock.chaos;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How a thread asks for a lock. A library that lacks one of these ways takes another.
 *
 * @param lock name of the lock
 * @param mode beside whom to hold it
 * @param fair whether in the order of requests
 * @param ownedByLease whether a lease shall own it, which any thread can use, and not the
 * thread that asks
 * @param maxWait longest wait; negative for one without end
 * @param leaseTime how long to hold it at most, or {@code null} to have it renewed
 */
record LockRequest(String lock, Mode mode, boolean fair, boolean ownedByLease, Duration maxWait,
		@Nullable Duration leaseTime) {

	/**
	 * Waits for some time to hold it alone, and has the lock renewed.
	 */
	static LockRequest renewed(String lock, Duration maxWait) {
		return new LockRequest(lock, Mode.ALONE, false, false, maxWait, null);
	}

	boolean waitsIndefinitely() {
		return this.maxWait.isNegative();
	}

	boolean isRenewed() {
		return this.leaseTime == null;
	}

	long waitNanos() {
		return waitsIndefinitely() ? Long.MAX_VALUE / 2 : this.maxWait.toNanos();
	}

}
