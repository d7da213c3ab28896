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

package io.holdfast.lock;

import java.time.Duration;
import java.util.Optional;

/**
 * Permits of which there is a fixed number in the whole cluster: so many callers do
 * something at a time, in all processes together. Has no state of its own. Thread-safe.
 * <p>
 * <b>Handles.</b> Whoever gets permits gets a {@link Lease}, which any thread may close;
 * a permit belongs to no thread. So a thread may get several, one after another, and
 * waits for itself if it wants more than there are. Permits that a thread owns, and that
 * nest, are those of {@link LockClient#getLock(java.util.Collection, LockOptions)}.
 * <p>
 * <b>Order.</b> First come, first served: a caller that wants few permits waits behind
 * one that wants more than are free. Between clients that is the order in which they
 * began to wait. Callers of one client that want as many permits as each other share a
 * place, and pass permits on to each other for a bounded number of times while another
 * client waits.
 * <p>
 * <b>The limit</b> is what each client says, and is stored nowhere. While clients say
 * different ones, as during a deployment, no more permits are in use than the largest
 * limit of those who hold some.
 * <p>
 * <b>One lock.</b> The lock of the same name excludes permits:
 * {@link LockClient#getLock(String)} waits until all are back, and keeps others out while
 * it waits and while it is held.
 * <p>
 * Leases, losses, interrupts and failures are those of {@link LockClient#acquire}. The
 * fencing token of permits names their holder; as several hold some at a time, no
 * resource can refuse by it.
 */
public interface LeaseSemaphore {

	/**
	 * Returns the name of the semaphore.
	 * @return the name as given to {@link LockClient#semaphore}
	 */
	String name();

	/**
	 * Returns how many permits there are.
	 * @return the limit, at least 1
	 */
	int limit();

	/**
	 * As {@link #acquire(int)}, for one permit.
	 * @return the lease; close it to give the permit back
	 * @throws InterruptedException if interrupted before or while waiting; then nothing
	 * is held
	 */
	default Lease acquire() throws InterruptedException {
		return acquire(1);
	}

	/**
	 * Acquires permits, all at once, within the client's wait time, or fails.
	 * @param units how many, 1 to the limit
	 * @return the lease; close it to give all of them back
	 * @throws IllegalArgumentException if there are not so many, or fewer than 1 is asked
	 * for
	 * @throws LockNotAcquiredException if too few were free and the wait times out
	 * @throws InterruptedException if interrupted before or while waiting; then nothing
	 * is held
	 * @throws LockServerException if the server gave no answer
	 * @throws LockClientClosedException if the client was closed before or meanwhile
	 */
	Lease acquire(int units) throws InterruptedException;

	/**
	 * As {@link #tryAcquire(int, Duration)}, for one permit and without waiting.
	 * @return the lease, or empty if no permit is free or others wait
	 * @throws InterruptedException if interrupted before; then nothing is held
	 */
	default Optional<Lease> tryAcquire() throws InterruptedException {
		return tryAcquire(1, Duration.ZERO);
	}

	/**
	 * Acquires permits, all at once, if they can be had within the wait time.
	 * @param units how many, 1 to the limit
	 * @param maxWait longest wait; zero makes one attempt without waiting; not negative
	 * @return the lease, or empty if too few were free and the wait times out
	 * @throws IllegalArgumentException if there are not so many permits, fewer than 1 is
	 * asked for, or the wait is negative
	 * @throws InterruptedException if interrupted before or while waiting; then nothing
	 * is held
	 * @throws LockServerException if the server gave no answer
	 * @throws LockClientClosedException if the client was closed before or meanwhile
	 */
	Optional<Lease> tryAcquire(int units, Duration maxWait) throws InterruptedException;

}
