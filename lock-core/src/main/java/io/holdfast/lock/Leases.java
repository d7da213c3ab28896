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
 * The leases under which the current thread runs code: those of methods with
 * {@link io.holdfast.lock.annotation.DistributedLock @DistributedLock} and of tasks of
 * {@link LockClient#execute}. So code finds its fencing token, and whether its lock is
 * still held, without being handed the lease.
 * <p>
 * A lease of a thread is to look at; whatever acquired it gives the lock back, and
 * {@link Lease#close()} throws {@link UnsupportedOperationException}. What a thread locks
 * or acquires by itself is not here. Other threads have no leases here, unless
 * {@link #call} takes one along. No method asks anybody or blocks.
 */
public final class Leases {

	/** Innermost first. */
	private static final ThreadLocal<Deque<Lease>> leases = ThreadLocal.withInitial(ArrayDeque::new);

	private Leases() {
	}

	/**
	 * Returns the innermost lease of the current thread.
	 * @return the lease, also if it was lost meanwhile
	 * @throws IllegalStateException if the thread has none: the method was called around
	 * its proxy, its {@code condition} was {@code false}, or locks are switched off
	 */
	public static Lease current() {
		return innermost((lease) -> true, "");
	}

	/**
	 * Returns the innermost lease of the current thread that has a certain lock.
	 * @param name the lock's name
	 * @return the lease, also if it was lost meanwhile; if it has several locks, of all
	 * of them
	 * @throws IllegalStateException if the thread has none of that lock
	 */
	public static Lease current(String name) {
		return innermost((lease) -> lease.names().contains(name), " of lock '" + name + "'");
	}

	/**
	 * Runs code for which a lease is the {@link #current()} one, as in a test without
	 * locks, or in work of another thread under the lock of this one. Neither acquires
	 * nor releases anything: whoever has the lease keeps the lock until the code is done.
	 * @param <T> the type of the result
	 * @param <E> the type of the checked exceptions that the task throws; inferred
	 * @param lease the lease
	 * @param task what to run
	 * @return what the task returned
	 * @throws E whatever the task throws
	 */
	public static <T extends @Nullable Object, E extends Throwable> T call(Lease lease, LockedTask<T, E> task)
			throws E {
		Objects.requireNonNull(lease, "Lease must not be null");
		Objects.requireNonNull(task, "Task must not be null");
		Deque<Lease> all = leases.get();
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

	private static Lease innermost(Predicate<Lease> condition, String what) {
		return leases.get()
			.stream()
			.filter(condition)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("Thread '" + Thread.currentThread().getName()
					+ "' has no lease" + what + ": it runs neither a method with @DistributedLock nor a task of "
					+ "LockClient.execute. A call of this.method() goes around the proxy; "
					+ "work of another thread takes a lease along with Leases.call(lease, task)"));
	}

}
