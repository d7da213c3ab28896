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
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.RedisErrors;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * One acquisition of several locks: all of them or none. Not reusable.
 *
 * @param <T> what there is of a lock that was acquired
 */
final class AllOrNothing<T> {

	/*
	 * No deadlock. All callers of all clients acquire in the same order, that of the
	 * names as Java compares them. Who waits for a lock holds only locks that are before
	 * it, so of all locks for which anybody waits, the owner of the last one waits for
	 * none. Locks that one call of the server can take, which are next to each other in
	 * that order, are first attempted together, without waiting: that gives all of them
	 * or none.
	 *
	 * No hold stays behind. Whatever ends the acquisition before the last lock, be it a
	 * time-out, an interrupt or an Error, gives back what it has. Of a lock that is being
	 * acquired nothing is left in these cases; that is what acquiring a single one
	 * promises.
	 *
	 * No wrong "another holds it". An attempt at several that got no answer may have got
	 * them, and what is released in the background may be what this waits for. So if the
	 * wait ends without one of these locks, it is that failure that is thrown. Once all
	 * of them are acquired, nothing of that attempt is in the way any more.
	 *
	 * No expired hold. A lock may be lost while its owner waits for the next one. So all
	 * of them are looked at once more in the end.
	 */

	private static final int MAX_DESCRIBED = 3;

	private final LongSupplier nanoTime;

	private final Batch<T> batch;

	private final SingleAcquire<T> single;

	private final Predicate<? super T> isValid;

	private final Consumer<? super T> giveBack;

	private final ArrayList<T> held = new ArrayList<>();

	/**
	 * What kept an attempt at several of the locks that are being acquired from an
	 * answer.
	 */
	private @Nullable LockServerException unanswered;

	/**
	 * Prepare the acquisition.
	 * @param batch acquires several by one call
	 * @param single acquires one lock
	 * @param isValid whether it still holds one
	 * @param giveBack gives one back
	 */
	AllOrNothing(LongSupplier nanoTime, Batch<T> batch, SingleAcquire<T> single, Predicate<? super T> isValid,
			Consumer<? super T> giveBack) {
		this.nanoTime = nanoTime;
		this.batch = batch;
		this.single = single;
		this.isValid = isValid;
		this.giveBack = giveBack;
	}

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
		Throwable thrown = null;
		try {
			return acquireAll(names, maxWait);
		}
		catch (Throwable ex) {
			thrown = ex;
			throw ex;
		}
		finally {
			this.batch.end(thrown);
		}
	}

	private Outcome<T> acquireAll(List<String> names, Duration maxWait) throws InterruptedException {
		this.held.ensureCapacity(names.size());
		long start = this.nanoTime.getAsLong();
		boolean complete = false;
		try {
			while (this.held.size() < names.size()) {
				String refused = acquireNext(names.subList(this.held.size(), names.size()), maxWait, start);
				if (refused != null) {
					if (this.unanswered != null) {
						throw this.unanswered;
					}
					return new Outcome<>(List.of(), refused);
				}
				this.unanswered = null;
			}
			Outcome<T> outcome = look(names);
			complete = true;
			if (outcome.refused() != null) {
				// Throws LockLostException.
				giveBackAll(this.held, this.giveBack);
			}
			return outcome;
		}
		finally {
			if (!complete) {
				giveBackQuietly();
			}
		}
	}

	/**
	 * Acquires the first ones of some locks: those that one call can take, by one call or
	 * one by one.
	 * @return the name of the one that another holds, or {@code null}
	 */
	private @Nullable String acquireNext(List<String> names, Duration maxWait, long startNanos)
			throws InterruptedException {
		List<String> next = names.subList(0, this.batch.batchSize(names));
		if (next.size() > 1 && acquireTogether(next, maxWait, startNanos)) {
			return null;
		}
		for (String name : next) {
			T one = this.single.acquire(name, left(maxWait, startNanos));
			if (one == null) {
				return name;
			}
			this.held.add(one);
		}
		return null;
	}

	private boolean acquireTogether(List<String> names, Duration maxWait, long startNanos) throws InterruptedException {
		try {
			List<T> all = this.batch.acquire(names, left(maxWait, startNanos));
			// No allocation: memory may have run out.
			for (int i = 0; i < all.size(); i++) {
				this.held.add(all.get(i));
			}
			return !all.isEmpty();
		}
		catch (LockServerException ex) {
			if (!RedisErrors.mayPassAlone(ex)) {
				if (left(maxWait, startNanos).isZero()) {
					throw ex;
				}
				// What was never sent cannot hold anything.
				if (ex.reason() != Reason.UNREACHABLE) {
					this.unanswered = ex;
				}
			}
			return false;
		}
	}

	private Duration left(Duration maxWait, long startNanos) {
		if (maxWait.equals(LockOptions.FOREVER)) {
			return maxWait;
		}
		Duration left = maxWait.minusNanos(this.nanoTime.getAsLong() - startNanos);
		return left.isNegative() ? Duration.ZERO : left;
	}

	private Outcome<T> look(List<String> names) {
		for (int i = 0; i < this.held.size(); i++) {
			if (!this.isValid.test(this.held.get(i))) {
				return new Outcome<>(List.of(), names.get(i));
			}
		}
		return new Outcome<>(this.held, null);
	}

	private void giveBackQuietly() {
		try {
			giveBackAll(this.held, this.giveBack);
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
		// Not only an Error: foreign code may throw what the compiler does not see.
		Throwable error = null;
		for (int i = held.size() - 1; i >= 0; i--) {
			try {
				giveBack.accept(held.get(i));
			}
			catch (RuntimeException ex) {
				failure = worse(failure, ex);
			}
			catch (Throwable ex) {
				error = ex;
			}
		}
		if (error != null) {
			ReflectionUtils.rethrowRuntimeException(error);
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
	 * Acquires several locks by one call, without waiting for any.
	 *
	 * @param <T> what there is of a lock that was acquired
	 */
	interface Batch<T> {

		/**
		 * How many of some locks, from the first one on, one call can take.
		 */
		int batchSize(List<String> names);

		/**
		 * Acquires all of some locks that one call can take, or none.
		 * @param maxWait how long the caller has left
		 * @return all of them in order; none if one is not free
		 */
		List<T> acquire(List<String> names, Duration maxWait) throws InterruptedException;

		/**
		 * Takes in that the acquisition is over, and what it has not got is given back.
		 * @param thrown what ended it, or {@code null}
		 */
		default void end(@Nullable Throwable thrown) {
		}

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
