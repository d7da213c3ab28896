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
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.holdfast.lock.LockException;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.protocol.LockKeys;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * Acquires several locks, one after another: all of them or none.
 *
 * @param nanoTime the clock
 * @param single acquires one lock
 * @param check throws {@link LockLostException} if one is no longer held
 * @param giveBack gives one back
 * @param <T> what there is of a lock that was acquired
 */
record AllOrNothing<T>(LongSupplier nanoTime, SingleAcquire<T> single, Consumer<? super T> check,
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
		if (names.size() == 1) {
			return List.of(LockKeys.checked(names.iterator().next()));
		}
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
	 * @param held takes what is acquired, in order
	 * @return the name of the lock that another holds, so that nothing is held; or
	 * {@code null} if all were acquired
	 * @throws LockLostException if one was lost before the last one was acquired; then
	 * none is held
	 */
	@Nullable String acquire(List<String> names, Duration maxWait, List<T> held) throws InterruptedException {
		long start = this.nanoTime.getAsLong();
		boolean complete = false;
		try {
			for (String name : names) {
				T one = this.single.acquire(name, left(maxWait, start, this.nanoTime.getAsLong()));
				if (one == null) {
					return name;
				}
				held.add(one);
			}
			held.forEach(this.check);
			complete = true;
			return null;
		}
		finally {
			if (!complete) {
				giveBackQuietly(held);
			}
		}
	}

	/**
	 * How long to wait for the next one.
	 */
	static Duration left(Duration maxWait, long startNanos, long nowNanos) {
		if (maxWait.equals(LockOptions.FOREVER)) {
			return maxWait;
		}
		Duration left = maxWait.minusNanos(nowNanos - startNanos);
		return left.isNegative() ? Duration.ZERO : left;
	}

	private void giveBackQuietly(List<T> held) {
		try {
			giveBackAll(held, this.giveBack);
		}
		catch (LockException | IllegalMonitorStateException ex) {
			// Lost, perhaps long ago, or still to be released in the background.
		}
	}

	/**
	 * Gives several back, the last one first, even if one of them fails.
	 * @throws LockLostException if one was lost; other failures are suppressed in it
	 */
	static <T> void giveBackAll(List<T> held, Consumer<? super T> giveBack) {
		List<Throwable> failures = new ArrayList<>();
		for (int i = held.size() - 1; i >= 0; i--) {
			try {
				giveBack.accept(held.get(i));
			}
			catch (RuntimeException | Error ex) {
				failures.add(ex);
			}
		}
		if (failures.isEmpty()) {
			return;
		}
		// A release without answer may be ignored when the work is done, a loss must not.
		Throwable worst = Collections.max(failures, Comparator.comparing((ex) -> !(ex instanceof LockServerException)));
		failures.stream().filter((ex) -> ex != worst).forEach(worst::addSuppressed);
		ReflectionUtils.rethrowRuntimeException(worst);
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

}
