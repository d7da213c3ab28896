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

package io.holdfast.lock.interceptor;

import io.holdfast.lock.Lease;
import io.holdfast.lock.annotation.DistributedLock;

/**
 * The leases of the methods with {@link DistributedLock @DistributedLock} in which the
 * current thread is: their fencing tokens, and whether their locks are still held.
 * <p>
 * A lease of a thread is to look at; its method gives the lock back when it returns, and
 * {@link Lease#close()} throws {@link UnsupportedOperationException}. Hand it on to other
 * threads: these have no leases of their own here. What a thread locks with
 * {@link io.holdfast.lock.LockClient LockClient} is not here, either.
 */
public final class Leases {

	private Leases() {
	}

	/**
	 * Returns the lease of the innermost locked method in which the current thread is.
	 * Asks nobody and never blocks.
	 * @return the lease, also if it was lost meanwhile
	 * @throws IllegalStateException if the thread is in no locked method: it was called
	 * around its proxy, its {@code condition} was {@code false}, or locks are switched
	 * off
	 */
	public static Lease current() {
		return LeaseStack.leases()
			.findFirst()
			.orElseThrow(() -> none("no method with @DistributedLock that holds its lock"));
	}

	/**
	 * Returns the lease of the innermost locked method in which the current thread is and
	 * that has a certain lock. Asks nobody and never blocks.
	 * @param name the lock's name
	 * @return the lease, also if it was lost meanwhile; if the method has several locks,
	 * of all of them
	 * @throws IllegalStateException if the thread is in no method that has the lock
	 */
	public static Lease current(String name) {
		return LeaseStack.leases()
			.filter((lease) -> lease.names().contains(name))
			.findFirst()
			.orElseThrow(() -> none("no method with @DistributedLock that holds lock '" + name + "'"));
	}

	private static IllegalStateException none(String what) {
		return new IllegalStateException("Thread '" + Thread.currentThread().getName() + "' is in " + what
				+ ". A call of this.method() goes around the proxy, and so does work that another thread does");
	}

}
