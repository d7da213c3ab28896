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

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The leases of the methods with
 * {@link io.holdfast.lock.annotation.DistributedLock @DistributedLock} in which the
 * current thread is: their fencing tokens, and whether their locks are still held.
 * <p>
 * What a thread locks with {@link LockClient} is not here, and other threads have no
 * leases, unless {@link #call} gives them one.
 */
public final class Leases {

	/** Innermost first. */
	private static final ThreadLocal<Deque<LeaseView>> leases = ThreadLocal.withInitial(ArrayDeque::new);

	private Leases() {
	}

	/**
	 * Returns the lease of the innermost locked method in which the current thread is. A
	 * method that runs without its own lock gets that of the method around it, if there
	 * is one: ask by {@linkplain #current(String) name}. Asks nobody and never blocks.
	 * @return the lease, also if it was lost meanwhile
	 * @throws IllegalStateException if the thread is in no locked method: it was called
	 * around its proxy, its {@code condition} was {@code false}, or locks are switched
	 * off
	 */
	public static LeaseView current() {
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
	public static LeaseView current(String name) {
		Objects.requireNonNull(name, "Lock name must not be null");
		return innermost((lease) -> lease.names().contains(name), "lock '" + name + "'");
	}

	/**
	 * Runs code for which a lease is the {@link #current()} one: on another thread than
	 * that of the locked method, under {@link LockClient#execute}, or in a test without
	 * Spring. Acquires and releases nothing: the caller must keep the lock until the code
	 * is done. A thread that does not own the lock does not own it here either: it cannot
	 * enter it again, and its commits are not guarded.
	 * @param <T> the type of the result
	 * @param <E> the type of the checked exceptions that the task throws; inferred
	 * @param lease the lease
	 * @param task what to run
	 * @return what the task returned
	 * @throws E whatever the task throws
	 */
	public static <T extends @Nullable Object, E extends Throwable> T call(LeaseView lease, LockedTask<T, E> task)
			throws E {
		Objects.requireNonNull(lease, "Lease must not be null");
		Objects.requireNonNull(task, "Task must not be null");
		Deque<LeaseView> all = leases.get();
		all.push(lease);
		try {
			return task.run(lease);
		}
		finally {
			all.pop();
			if (all.isEmpty()) {
				leases.remove();
			}
		}
	}

	private static LeaseView innermost(Predicate<LeaseView> condition, String what) {
		return leases.get()
			.stream()
			.filter(condition)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("Thread '" + Thread.currentThread().getName()
					+ "' is in no method with @DistributedLock that holds " + what
					+ ". A call of this.method() goes around the proxy, and so does work that another thread does; "
					+ "Leases.call(lease, task) takes a lease there"));
	}

}
