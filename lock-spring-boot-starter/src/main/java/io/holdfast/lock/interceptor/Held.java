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

import io.holdfast.lock.LeaseView;
import io.holdfast.lock.Leases;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockedTask;
import org.jspecify.annotations.Nullable;

/**
 * A lock under which a locked method runs. {@link Leases} shows its lease to the method;
 * this has what commits are checked by, too.
 *
 * @param grant what it has of it
 * @param settings what holds for the method
 */
record Held(LockFence.Grant grant, LockSettings settings) {

	/** Innermost first. */
	private static final ThreadLocal<Deque<Held>> all = ThreadLocal.withInitial(ArrayDeque::new);

	/**
	 * The locks under which the current thread runs locked methods, innermost first.
	 */
	static Collection<Held> all() {
		return all.get();
	}

	/**
	 * Returns what the current thread was granted, once all fences know of it.
	 * @throws LockLostException if it was lost meanwhile
	 */
	static Held granted(LockFence.Grant grant, LockSettings settings) {
		if (all().stream().noneMatch((outer) -> outer.covers(grant))) {
			settings.fences().forEach((fence) -> fence.granted(grant));
		}
		LeaseView lease = grant.lease();
		if (!lease.isHeld()) {
			lease.throwIfLost();
			throw new IllegalStateException("Lock '" + lease.name() + "' was given back before the method began");
		}
		return new Held(grant, settings);
	}

	/**
	 * Runs a method under this lock.
	 */
	<T extends @Nullable Object> T run(LockedTask<T, Throwable> method) throws Throwable {
		Deque<Held> held = all.get();
		held.push(this);
		try {
			return Leases.call(lease(), method);
		}
		finally {
			held.pop();
			if (held.isEmpty()) {
				all.remove();
			}
		}
	}

	/**
	 * Checks that a lock has been held ever since it was acquired. Asks the lease and not
	 * the lock: a thread whose lease time has ended may have acquired that anew, and
	 * another may have had it in between.
	 * @throws LockLostException if it was lost
	 */
	static void check(LeaseView lease) {
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

	LeaseView lease() {
		return this.grant.lease();
	}

	/**
	 * Whether a grant is one of the same hold.
	 */
	private boolean covers(LockFence.Grant other) {
		List<String> names = lease().names();
		return this.grant.client() == other.client() && names.containsAll(other.lease().names())
				&& other.lease().names().stream().allMatch((name) -> lease().token(name) == other.lease().token(name));
	}

}
