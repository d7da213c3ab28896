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
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.holdfast.lock.LockException;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.internal.server.LockKeys;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several locks, one after another: all of them or none.
 *
 * @param nanoTime the clock
 * @param single acquires one lock
 * @param isValid whether one is still held
 * @param giveBack gives one back
 * @param <T> what there is of a lock that was acquired
 */
record AllOrNothing<T>(LongSupplier nanoTime, SingleAcquire<T> single, Predicate<? super T> isValid,
		Consumer<? super T> giveBack) {

	/*
	 * No deadlock. All callers of all clients acquire in the same order, that of the
	 * names as Java compares them. Who waits for a lock holds only locks that are before
	 * it, so of all locks for which anybody waits, the owner of the last one waits for
	 * none.
	 *
	 * No hold stays behind. Whatever ends the acquisition before the last lock, be it a
	 * time-out, an interrupt or an Error, gives back what it has. Of a lock that is being
	 * acquired nothing is left in these cases; that is what acquiring a single one
	 * promises.
	 *
	 * No expired hold. A lock may be lost while its owner waits for the next one. So all
	 * of them are looked at once more in the end.
	 */

	private static final int MAX_DESCRIBED = 3;

	/**
	 * Brings names into the order in which everybody acquires them, each of them once.
	 * @throws IllegalArgumentException if there are none, or no lock can have one of them
	 */
	static List<String> order(Collection<String> names) {
		List<String> ordered = names.stream().map(LockKeys::checked).distinct().sorted().toList();
		if (ordered.isEmpty()) {
			throw new IllegalArgumentException("There must be at least one lock name");
		}
		return ordered;
	}

	/**
	 * How messages call several locks.
	 */
	static String describe(List<String> names) {
		String some = String.join(", ", names.subList(0, Math.min(names.size(), MAX_DESCRIBED)));
		return (names.size() <= MAX_DESCRIBED) ? some : some + " and " + (names.size() - MAX_DESCRIBED) + " more";
	}

	/**
	 * Acquires all of some locks.
	 * @param names in order
	 * @throws LockLostException if one was lost before the last one was acquired; then
	 * none is held
	 */
	Outcome<T> acquire(List<String> names, Duration maxWait) throws InterruptedException {
		long start = this.nanoTime.getAsLong();
		List<T> held = new ArrayList<>(names.size());
		boolean complete = false;
		try {
			for (String name : names) {
				T one = this.single.acquire(name, left(maxWait, start));
				if (one == null) {
					return new Outcome<>(List.of(), name);
				}
				held.add(one);
			}
			for (int i = 0; i < held.size(); i++) {
				if (!this.isValid.test(held.get(i))) {
					complete = true;
					// Throws LockLostException.
					giveBackAll(held, this.giveBack);
					return new Outcome<>(List.of(), names.get(i));
				}
			}
			complete = true;
			return new Outcome<>(held, null);
		}
		finally {
			if (!complete) {
				giveBackQuietly(held);
			}
		}
	}

	private Duration left(Duration maxWait, long startNanos) {
		if (maxWait.equals(LockOptions.FOREVER)) {
			return maxWait;
		}
		Duration left = maxWait.minusNanos(this.nanoTime.getAsLong() - startNanos);
		return left.isNegative() ? Duration.ZERO : left;
	}

	private void giveBackQuietly(List<T> held) {
		try {
			giveBackAll(held, this.giveBack);
		}
		catch (LockException | IllegalMonitorStateException ex) {
			// Lost, be it long ago, or still to be released in the background.
		}
	}

	/**
	 * Gives several back, the last one first, even if one of them fails.
	 * @throws LockLostException if one was lost; other failures are suppressed in it
	 */
	static <T> void giveBackAll(List<T> held, Consumer<? super T> giveBack) {
		RuntimeException failure = null;
		Error error = null;
		for (int i = held.size() - 1; i >= 0; i--) {
			try {
				giveBack.accept(held.get(i));
			}
			catch (RuntimeException ex) {
				failure = worse(failure, ex);
			}
			catch (Error ex) {
				error = ex;
			}
		}
		if (error != null) {
			throw error;
		}
		if (failure != null) {
			throw failure;
		}
	}

	/**
	 * A release without answer may be ignored when the work is done, a loss must not.
	 */
	private static RuntimeException worse(@Nullable RuntimeException first, RuntimeException next) {
		if (first == null || first == next) {
			return next;
		}
		boolean isWorse = next instanceof LockLostException && !(first instanceof LockLostException);
		RuntimeException worst = isWorse ? next : first;
		worst.addSuppressed(isWorse ? first : next);
		return worst;
	}

	/**
	 * Acquires one lock.
	 *
	 * @param <T> what there is of a lock that was acquired
	 */
	@FunctionalInterface
	interface SingleAcquire<T> {

		/**
		 * Acquires a lock.
		 * @return {@code null} if another holds it
		 */
		@Nullable T acquire(String name, Duration maxWait) throws InterruptedException;

	}

	/**
	 * What came of it.
	 *
	 * @param <T> what there is of a lock that was acquired
	 * @param held what was acquired, in order; empty if that is not all
	 * @param refused the name of the lock that another holds, or {@code null} if all were
	 * acquired
	 */
	record Outcome<T>(List<T> held, @Nullable String refused) {
	}

}
