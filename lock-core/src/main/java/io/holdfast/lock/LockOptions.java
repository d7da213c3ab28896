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

import java.time.Duration;
import java.util.Objects;

import io.holdfast.lock.internal.text.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * How to acquire a lock. Immutable; each method returns a changed copy.
 * <p>
 * A {@code null} duration stands for the default of the {@link LockClient}.
 *
 * @param mode beside whom to hold it
 * @param fair whether to be served first come, first served
 * @param waitTime longest wait for the lock; zero makes one attempt without waiting;
 * never negative
 * @param leaseTime how long the hold lasts; {@link #WATCHDOG} to renew it for as long as
 * it is held; otherwise between {@link #MIN_LEASE} and {@link #MAX_LEASE}
 * @param declaredName what the lock is called in metrics, or {@code null}
 * @param maxWaiters behind how many callers to wait at most; zero for any number
 * @param maxHold how long an owner has the lock at most; {@link #FOREVER} for any time
 */
public record LockOptions(LockMode mode, boolean fair, @Nullable Duration waitTime, @Nullable Duration leaseTime,
		@Nullable String declaredName, @Nullable Integer maxWaiters, @Nullable Duration maxHold) {

	/**
	 * The lease time that makes the watchdog renew the hold until it is released.
	 */
	public static final Duration WATCHDOG = Duration.ofMillis(-1);

	/**
	 * The shortest explicit lease time. A shorter one could end before the reply to the
	 * acquisition arrives.
	 */
	public static final Duration MIN_LEASE = Duration.ofMillis(10);

	/**
	 * The longest explicit lease time.
	 */
	public static final Duration MAX_LEASE = Duration.ofDays(366);

	/**
	 * A wait time that never ends.
	 */
	public static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

	/**
	 * The largest {@linkplain #maxWaiters() number of waiters}: the server counts so
	 * many.
	 */
	public static final int MAX_WAITERS = 10_000;

	private static final LockOptions DEFAULTS = new LockOptions(LockMode.EXCLUSIVE, false, null, null, null, null,
			null);

	/**
	 * Check the options.
	 * @param mode beside whom to hold it
	 * @param fair whether to be served first come, first served
	 * @param waitTime longest wait for the lock; zero makes one attempt without waiting;
	 * {@code null} for the client's
	 * @param leaseTime how long the hold lasts, or {@link #WATCHDOG}; {@code null} for
	 * the client's
	 * @param declaredName what the lock is called in metrics; {@code null} for no name
	 * @param maxWaiters behind how many callers to wait at most; {@code null} for the
	 * client's
	 * @param maxHold how long an owner has the lock at most; {@code null} for the
	 * client's
	 * @throws IllegalArgumentException if the wait time is negative, the lease time is
	 * neither {@link #WATCHDOG} nor within its bounds, the declared name is blank, or the
	 * number of waiters or the longest hold is out of its bounds
	 */
	public LockOptions {
		Objects.requireNonNull(mode, "Lock mode must not be null");
		if (waitTime != null && waitTime.isNegative()) {
			throw new IllegalArgumentException("Wait time must not be negative: " + DurationText.of(waitTime));
		}
		checkTime("Lease time", leaseTime, WATCHDOG, "watchdog (LockOptions.WATCHDOG)");
		checkTime("Max hold", maxHold, FOREVER, "without end");
		if (declaredName != null && declaredName.isBlank()) {
			throw new IllegalArgumentException("Declared name must not be blank");
		}
		if (maxWaiters != null && (maxWaiters < 0 || maxWaiters > MAX_WAITERS)) {
			throw new IllegalArgumentException("Max waiters must be between 0 and " + MAX_WAITERS + ": " + maxWaiters);
		}
	}

	private static void checkTime(String what, @Nullable Duration time, Duration unlimited, String word) {
		if (time != null && !time.equals(unlimited)
				&& (time.compareTo(MIN_LEASE) < 0 || time.compareTo(MAX_LEASE) > 0)) {
			throw new IllegalArgumentException(what + " must be between " + DurationText.of(MIN_LEASE) + " and "
					+ DurationText.of(MAX_LEASE) + ", or " + word + ": " + text(time));
		}
	}

	private static String text(Duration time) {
		return time.equals(WATCHDOG) ? "watchdog" : time.equals(FOREVER) ? "forever" : DurationText.of(time);
	}

	/**
	 * Returns an exclusive lock with the wait and lease times of the client.
	 * @return the default options
	 */
	public static LockOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Returns these options to hold the lock beside others who hold it so: to read.
	 * @return the changed copy
	 * @see ReadWriteLeaseLock
	 */
	public LockOptions shared() {
		return mode(LockMode.SHARED);
	}

	/**
	 * Returns these options to hold permits, of which there is a fixed number in the
	 * whole cluster.
	 * @param units how many, 1 to {@code limit}
	 * @param limit how many there are
	 * @return the changed copy
	 * @throws IllegalArgumentException if {@code units} is not between 1 and
	 * {@code limit}
	 * @see LeaseSemaphore
	 */
	public LockOptions permits(int units, int limit) {
		return mode(LockMode.permits(units, limit));
	}

	/**
	 * Returns these options with another mode.
	 * @param mode beside whom to hold the lock
	 * @return the changed copy
	 */
	public LockOptions mode(LockMode mode) {
		return new LockOptions(mode, this.fair, this.waitTime, this.leaseTime, this.declaredName, this.maxWaiters,
				this.maxHold);
	}

	/**
	 * Returns these options with another order among those who wait.
	 * <p>
	 * A fair request is served first come, first served among all threads of all
	 * processes, in the order in which requests reached Redis; each grant costs a
	 * command. Without that, threads of one process that wait for a lock with the
	 * watchdog share a place in the queue and hand the lock to each other without asking
	 * Redis, for a bounded number of times while another process waits. Processes get the
	 * lock in the order in which they joined the queue. That is faster, and nobody
	 * starves. Both exclude each other on one name. A quorum has no fair locks.
	 * @param fair whether to be served first come, first served
	 * @return the changed copy
	 */
	public LockOptions fair(boolean fair) {
		return new LockOptions(this.mode, fair, this.waitTime, this.leaseTime, this.declaredName, this.maxWaiters,
				this.maxHold);
	}

	/**
	 * Returns these options with another wait time.
	 * @param waitTime longest wait; zero makes one attempt without waiting; not negative
	 * @return the changed copy
	 */
	public LockOptions waitTime(Duration waitTime) {
		Objects.requireNonNull(waitTime, "Wait time must not be null");
		return new LockOptions(this.mode, this.fair, waitTime, this.leaseTime, this.declaredName, this.maxWaiters,
				this.maxHold);
	}

	/**
	 * Returns these options with another lease time.
	 * @param leaseTime {@link #WATCHDOG}, or {@link #MIN_LEASE} to {@link #MAX_LEASE}
	 * @return the changed copy
	 */
	public LockOptions leaseTime(Duration leaseTime) {
		Objects.requireNonNull(leaseTime, "Lease time must not be null");
		return new LockOptions(this.mode, this.fair, this.waitTime, leaseTime, this.declaredName, this.maxWaiters,
				this.maxHold);
	}

	/**
	 * Returns these options with a name under which metrics count the lock. It does not
	 * name the lock: many locks share it, such as {@code order} for {@code order:1} and
	 * {@code order:2}.
	 * @param declaredName a name out of few, which stand in the source code; not blank
	 * @return the changed copy
	 */
	public LockOptions named(String declaredName) {
		Objects.requireNonNull(declaredName, "Declared name must not be null");
		return new LockOptions(this.mode, this.fair, this.waitTime, this.leaseTime, declaredName, this.maxWaiters,
				this.maxHold);
	}

	/**
	 * Returns these options with a bound on how many callers wait. Who would have to wait
	 * behind more of them is told so at once, by {@link TooManyWaitersException} or as a
	 * lock that it did not get. All clients count. Such a caller has a place of its own
	 * in the queue, so it does not get the lock from a thread of this client without
	 * asking the server.
	 * @param maxWaiters behind how many callers to wait at most, up to
	 * {@value #MAX_WAITERS}; zero for any number
	 * @return the changed copy
	 */
	public LockOptions maxWaiters(int maxWaiters) {
		return new LockOptions(this.mode, this.fair, this.waitTime, this.leaseTime, this.declaredName, maxWaiters,
				this.maxHold);
	}

	/**
	 * Returns these options with a bound on how long an owner has the lock, from when it
	 * acquired it first. After that the lock is {@linkplain LockLoss.Cause#MAX_HOLD lost}
	 * and not renewed any more.
	 * @param maxHold {@link #MIN_LEASE} to {@link #MAX_LEASE}, or {@link #FOREVER}
	 * @return the changed copy
	 */
	public LockOptions maxHold(Duration maxHold) {
		Objects.requireNonNull(maxHold, "Max hold must not be null");
		return new LockOptions(this.mode, this.fair, this.waitTime, this.leaseTime, this.declaredName, this.maxWaiters,
				maxHold);
	}

}
