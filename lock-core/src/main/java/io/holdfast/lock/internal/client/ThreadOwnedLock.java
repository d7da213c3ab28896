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
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * The ways in which a thread acquires a lock, be it one or several.
 */
interface ThreadOwnedLock extends LeaseLock {

	LockRuntime runtime();

	/**
	 * Acquires it for the calling thread.
	 * @return what refused it, the name of the lock that another holds; {@code null} if
	 * it was acquired
	 */
	@Nullable String acquireOrRefusal(Duration maxWait, Duration lease, boolean interruptible) throws InterruptedException;

	@Override
	default void lock() {
		lock(runtime().settings().leaseTime());
	}

	@Override
	default void lock(Duration lease) {
		acquireOrRefusalUninterruptibly(LockOptions.FOREVER, lease);
	}

	@Override
	default void lockInterruptibly() throws InterruptedException {
		lockInterruptibly(runtime().settings().leaseTime());
	}

	@Override
	default void lockInterruptibly(Duration lease) throws InterruptedException {
		acquireOrRefusal(LockOptions.FOREVER, lease, true);
	}

	@Override
	default boolean tryLock() {
		return acquireOrRefusalUninterruptibly(Duration.ZERO, runtime().settings().leaseTime()) == null;
	}

	@Override
	default boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		Objects.requireNonNull(unit, "Time unit must not be null");
		return tryLock(Duration.ofNanos(Math.max(unit.toNanos(time), 0)));
	}

	@Override
	default boolean tryLock(Duration maxWait) throws InterruptedException {
		return tryLock(maxWait, runtime().settings().leaseTime());
	}

	@Override
	default boolean tryLock(Duration maxWait, Duration lease) throws InterruptedException {
		return acquireOrRefusal(checked(maxWait), lease, true) == null;
	}

	@Override
	default void acquire(Duration maxWait, Duration lease) throws InterruptedException {
		String refused = acquireOrRefusal(checked(maxWait), lease, true);
		if (refused != null) {
			throw runtime().errors().notAcquired(refused, type(), maxWait);
		}
	}

	private static Duration checked(Duration maxWait) {
		// Refuses what is out of bounds.
		LockOptions.defaults().waitTime(maxWait);
		return maxWait;
	}

	private @Nullable String acquireOrRefusalUninterruptibly(Duration maxWait, Duration lease) {
		try {
			return acquireOrRefusal(maxWait, lease, false);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Not interruptible", ex);
		}
	}

	@Override
	default Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

}
