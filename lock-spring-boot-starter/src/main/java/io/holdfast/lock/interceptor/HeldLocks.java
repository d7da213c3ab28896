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
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import org.jspecify.annotations.Nullable;

/**
 * The locks under which the threads of this process are running, innermost first.
 */
final class HeldLocks {

	private static final ThreadLocal<@Nullable Deque<Lease>> leases = new ThreadLocal<>();

	private HeldLocks() {
	}

	/**
	 * Takes in that the current thread goes on under a lock, which it has acquired.
	 */
	static void push(Lease lease) {
		Deque<Lease> held = leases.get();
		if (held == null) {
			held = new ArrayDeque<>(2);
			leases.set(held);
		}
		held.push(lease);
	}

	static void pop() {
		Deque<Lease> held = leases.get();
		if (held != null) {
			held.pop();
			if (held.isEmpty()) {
				leases.remove();
			}
		}
	}

	/**
	 * The leases of the current thread, innermost first.
	 */
	static Stream<Lease> leases() {
		Deque<Lease> held = leases.get();
		return (held != null) ? held.stream() : Stream.empty();
	}

	/**
	 * Checks that the current thread still holds all of its locks.
	 * @throws LockLostException if it lost one
	 */
	static void check() {
		leases().forEach(HeldLocks::check);
	}

	/**
	 * Checks that a lock has been held ever since it was acquired. Asks the lease and not
	 * the lock: a thread whose lease time has ended may have acquired that anew, and
	 * another may have had it in between.
	 * @throws LockLostException if it was lost
	 */
	static void check(Lease lease) {
		if (lease.isValid()) {
			return;
		}
		AtomicReference<@Nullable LockLoss> lost = new AtomicReference<>();
		// What was lost already is told at once.
		lease.onLost(lost::set);
		LockLoss loss = lost.get();
		if (loss != null) {
			throw new LockLostException(loss);
		}
		throw new IllegalStateException("Lock '" + lease.name() + "' is not held by this thread any more");
	}

}
