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
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import org.jspecify.annotations.Nullable;

/**
 * The locks under which the threads of this process are running, innermost first.
 */
final class LeaseStack {

	private static final ThreadLocal<@Nullable Deque<Held>> locks = new ThreadLocal<>();

	private LeaseStack() {
	}

	/**
	 * Records that the current thread now runs under a lock.
	 * @param settings what holds for the method that it runs
	 */
	static void push(Lease lease, LockSettings settings) {
		Deque<Held> held = locks.get();
		if (held == null) {
			held = new ArrayDeque<>(2);
			locks.set(held);
		}
		held.push(new Held(lease, settings));
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
	 * Takes each lease of the current thread, and the settings of its application.
	 */
	static void forEach(BiConsumer<Lease, LockSettings> action) {
		Deque<Held> held = locks.get();
		if (held != null) {
			held.forEach((each) -> action.accept(each.lease(), each.settings()));
		}
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
		throw new IllegalStateException(
				"Lock '" + lease.name() + "' is not held by this thread any more. Something released it inside of the "
						+ "method: leave that to the method's end");
	}

	/**
	 * What the thread has of a lock, and what holds for the method that it runs.
	 */
	private record Held(Lease lease, LockSettings settings) {
	}

}
