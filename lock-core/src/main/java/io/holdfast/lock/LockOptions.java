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
 * @param type the order among waiters
 * @param waitTime longest wait for the lock; zero makes one attempt without waiting;
 * never negative
 * @param leaseTime how long the hold lasts; {@link #WATCHDOG} to renew it for as long as
 * it is held; otherwise between {@link #MIN_LEASE} and {@link #MAX_LEASE}
 * @param declaredName what the lock is called in metrics, or {@code null}
 */
public record LockOptions(LockType type, @Nullable Duration waitTime, @Nullable Duration leaseTime,
		@Nullable String declaredName) {

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

	private static final LockOptions DEFAULTS = new LockOptions(LockType.REENTRANT, null, null, null);

	/**
	 * Check the options.
	 * @param type the order among waiters
	 * @param waitTime longest wait for the lock; zero makes one attempt without waiting;
	 * {@code null} for the client's
	 * @param leaseTime how long the hold lasts, or {@link #WATCHDOG}; {@code null} for
	 * the client's
	 * @param declaredName what the lock is called in metrics; {@code null} for no name
	 * @throws IllegalArgumentException if the wait time is negative, the lease time is
	 * neither {@link #WATCHDOG} nor within its bounds, or the declared name is blank
	 */
	public LockOptions {
		Objects.requireNonNull(type, "Lock type must not be null");
		if (waitTime != null) {
			checkWaitTime(waitTime);
		}
		if (leaseTime != null) {
			checkLeaseTime(leaseTime);
		}
		if (declaredName != null) {
			checkDeclaredName(declaredName);
		}
	}

	/**
	 * Returns a reentrant lock with the wait and lease times of the client.
	 * @return the default options
	 */
	public static LockOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Returns these options with first come, first served order.
	 * @return the changed copy
	 */
	public LockOptions fair() {
		return type(LockType.FAIR);
	}

	/**
	 * Returns these options with another type.
	 * @param type the order among waiters
	 * @return the changed copy
	 */
	public LockOptions type(LockType type) {
		return new LockOptions(type, this.waitTime, this.leaseTime, this.declaredName);
	}

	/**
	 * Returns these options with another wait time.
	 * @param waitTime longest wait; zero makes one attempt without waiting; not negative
	 * @return the changed copy
	 */
	public LockOptions waitTime(Duration waitTime) {
		Objects.requireNonNull(waitTime, "Wait time must not be null");
		return new LockOptions(this.type, waitTime, this.leaseTime, this.declaredName);
	}

	/**
	 * Returns these options with another lease time.
	 * @param leaseTime {@link #WATCHDOG}, or {@link #MIN_LEASE} to {@link #MAX_LEASE}
	 * @return the changed copy
	 */
	public LockOptions leaseTime(Duration leaseTime) {
		Objects.requireNonNull(leaseTime, "Lease time must not be null");
		return new LockOptions(this.type, this.waitTime, leaseTime, this.declaredName);
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
		return new LockOptions(this.type, this.waitTime, this.leaseTime, declaredName);
	}

	private static void checkDeclaredName(String declaredName) {
		if (declaredName.isBlank()) {
			throw new IllegalArgumentException("Declared name must not be blank");
		}
	}

	private static void checkWaitTime(Duration waitTime) {
		if (waitTime.isNegative()) {
			throw new IllegalArgumentException("Wait time must not be negative: " + DurationText.of(waitTime));
		}
	}

	private static void checkLeaseTime(Duration leaseTime) {
		boolean inBounds = leaseTime.compareTo(MIN_LEASE) >= 0 && leaseTime.compareTo(MAX_LEASE) <= 0;
		if (!inBounds && !leaseTime.equals(WATCHDOG)) {
			throw new IllegalArgumentException(
					"Lease time must be between " + DurationText.of(MIN_LEASE) + " and " + DurationText.of(MAX_LEASE)
							+ ", or -1ms to be renewed by the watchdog: " + DurationText.of(leaseTime));
		}
	}

}
