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

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockServerException;
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

	/** Innermost first. */
	private static final ThreadLocal<Deque<Held>> locks = ThreadLocal.withInitial(ArrayDeque::new);

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
		return innermost((lease) -> true, "its lock");
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
		return innermost((lease) -> lease.names().contains(name), "lock '" + name + "'");
	}

	private static Lease innermost(Predicate<Lease> condition, String what) {
		return held().stream()
			.map(Held::lease)
			.filter(condition)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("Thread '" + Thread.currentThread().getName()
					+ "' is in no method with @DistributedLock that holds " + what
					+ ". A call of this.method() goes around the proxy, and so does work that another thread does"));
	}

	/**
	 * Returns what the current thread was granted, once all fences know of it.
	 */
	static Held granted(LockFence.Grant grant, LockSettings settings) {
		if (held().stream().noneMatch((outer) -> outer.covers(grant))) {
			settings.fences().forEach((fence) -> fence.granted(grant));
		}
		return new Held(grant, settings);
	}

	/**
	 * Records that the current thread now runs under a lock.
	 */
	static void push(Held held) {
		locks.get().push(held);
	}

	static void pop() {
		Deque<Held> held = locks.get();
		held.pop();
		if (held.isEmpty()) {
			locks.remove();
		}
	}

	/**
	 * The locks under which the current thread runs, innermost first.
	 */
	static Collection<Held> held() {
		return locks.get();
	}

	/**
	 * Checks that a lock has been held ever since it was acquired. Asks the lease and not
	 * the lock: a thread whose lease time has ended may have acquired that anew, and
	 * another may have had it in between.
	 * @throws LockLostException if it was lost
	 */
	static void check(Lease lease) {
		if (lease.confirm()) {
			return;
		}
		lease.throwIfLost();
		if (lease.isHeld()) {
			throw new LockServerException(lease.name(), LockServerException.Reason.TIMED_OUT,
					"Lock '" + lease.name() + "' may have gone to another: Redis has not answered for as long as "
							+ "holdfast.lock.takeover-after, and does not answer now",
					null);
		}
		throw new IllegalStateException(
				"Lock '" + lease.name() + "' is not held any more. Something released it inside of the method: leave "
						+ "that to the method's end");
	}

	/**
	 * A lock under which a thread runs.
	 *
	 * @param grant what it has of it
	 * @param settings what holds for the method that it runs
	 */
	record Held(LockFence.Grant grant, LockSettings settings) {

		Lease lease() {
			return this.grant.lease();
		}

		/**
		 * Whether a grant is one of the same hold.
		 */
		private boolean covers(LockFence.Grant other) {
			List<String> names = lease().names();
			return this.grant.client() == other.client() && names.containsAll(other.lease().names())
					&& other.lease()
						.names()
						.stream()
						.allMatch((name) -> lease().token(name) == other.lease().token(name));
		}

	}

}
