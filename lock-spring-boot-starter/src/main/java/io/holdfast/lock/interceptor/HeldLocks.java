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
import java.util.Deque;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLostException;
import org.jspecify.annotations.Nullable;

/**
 * The locks under which the threads of this process are running, innermost first.
 */
final class HeldLocks {

	private static final ThreadLocal<@Nullable Deque<Held>> locks = new ThreadLocal<>();

	private HeldLocks() {
	}

	/**
	 * Takes in that the current thread goes on under a lock, which it has acquired.
	 * @return the lease that it has
	 * @throws LockLostException if it lost the lock
	 */
	static Lease push(LeaseLock lock) {
		Lease lease = lock.lease();
		Deque<Held> held = locks.get();
		if (held == null) {
			held = new ArrayDeque<>(2);
			locks.set(held);
		}
		held.push(new Held(lock, lease));
		return lease;
	}

	static void pop() {
		Deque<Held> held = locks.get();
		if (held != null) {
			held.pop();
			if (held.isEmpty()) {
				locks.remove();
			}
		}
	}

	/**
	 * The leases of the current thread, innermost first.
	 */
	static Stream<Lease> leases() {
		Deque<Held> held = locks.get();
		return (held != null) ? held.stream().map(Held::lease) : Stream.empty();
	}

	/**
	 * Checks that the current thread still holds all of its locks.
	 * @throws LockLostException if it lost one
	 */
	static void check() {
		Deque<Held> held = locks.get();
		if (held != null) {
			held.forEach((each) -> check(each.lock()));
		}
	}

	/**
	 * Checks that the current thread, which has acquired a lock, still holds it.
	 * @throws LockLostException if it lost the lock
	 */
	static void check(LeaseLock lock) {
		if (lock.isHeldByCurrentThread()) {
			return;
		}
		// Whoever lost a lock is refused to enter again, and is told why.
		if (lock.tryLock()) {
			lock.unlock();
		}
		throw new IllegalStateException("Lock '" + lock.name() + "' is not held by this thread any more");
	}

	/**
	 * A lock and what the thread has of it.
	 */
	private record Held(LeaseLock lock, Lease lease) {
	}

}
