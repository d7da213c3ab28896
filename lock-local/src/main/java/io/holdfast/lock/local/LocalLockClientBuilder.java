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

package io.holdfast.lock.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.internal.client.ClientSettings;
import io.holdfast.lock.internal.protocol.ClientId;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.ServerSettings;
import org.jspecify.annotations.Nullable;

/**
 * Describes a client. Each setting has a default, which is that of the client on Redis;
 * {@link #build()} checks them. Not thread-safe.
 */
public final class LocalLockClientBuilder {

	private static final LockKeys KEYS = new LockKeys("local:");

	private static final Duration TOKEN_RETENTION = Duration.ofMinutes(5);

	private static final int MAX_LOCAL_HANDOFFS = 16;

	private final List<LockObserver> observers = new ArrayList<>();

	private @Nullable LocalLocks locks;

	private UnaryOperator<Duration> waits = UnaryOperator.identity();

	private String application = "java";

	private Duration waitTime = Duration.ofSeconds(10);

	private Duration leaseTime = LockOptions.WATCHDOG;

	private Duration watchdogTimeout = Duration.ofSeconds(30);

	private Duration waiterTimeout = Duration.ofSeconds(10);

	private int maxWaiters;

	private Duration maxHold = LockOptions.FOREVER;

	private Duration heldTooLong = Duration.ZERO;

	private Duration waitTooLong = Duration.ZERO;

	private LongSupplier nanoTime = System::nanoTime;

	LocalLockClientBuilder() {
	}

	/**
	 * Sets the locks: clients with the same ones share them. Default: locks of its own.
	 * @param locks the locks
	 * @return this builder
	 */
	public LocalLockClientBuilder locks(LocalLocks locks) {
		this.locks = Objects.requireNonNull(locks, "Locks must not be null");
		return this;
	}

	/**
	 * Sets the application's name, for operators. Default {@code java}.
	 * @param application the name; its first 16 characters are shown
	 * @return this builder
	 */
	public LocalLockClientBuilder application(String application) {
		this.application = Objects.requireNonNull(application, "Application must not be null");
		return this;
	}

	/**
	 * Sets the wait of {@link LockOptions} that name none. Default 10 s.
	 * @param waitTime longest wait; not negative
	 * @return this builder
	 */
	public LocalLockClientBuilder waitTime(Duration waitTime) {
		this.waitTime = Objects.requireNonNull(waitTime, "Wait time must not be null");
		return this;
	}

	/**
	 * Sets the lease of callers who name none. Default {@link LockOptions#WATCHDOG}.
	 * @param leaseTime the lease
	 * @return this builder
	 */
	public LocalLockClientBuilder leaseTime(Duration leaseTime) {
		this.leaseTime = Objects.requireNonNull(leaseTime, "Lease time must not be null");
		return this;
	}

	/**
	 * Sets the lease of holds that the watchdog renews, every third of it. Default 30 s.
	 * @param watchdogTimeout 100 ms to 1 day
	 * @return this builder
	 */
	public LocalLockClientBuilder watchdogTimeout(Duration watchdogTimeout) {
		this.watchdogTimeout = Objects.requireNonNull(watchdogTimeout, "Watchdog timeout must not be null");
		return this;
	}

	/**
	 * Sets how long a waiter keeps its place in the queue without renewal. Default 10 s.
	 * @param waiterTimeout 100 ms to 5 minutes
	 * @return this builder
	 */
	public LocalLockClientBuilder waiterTimeout(Duration waiterTimeout) {
		this.waiterTimeout = Objects.requireNonNull(waiterTimeout, "Waiter timeout must not be null");
		return this;
	}

	/**
	 * Sets behind how many callers those wait at most whose {@link LockOptions} name no
	 * number. Default zero, for any number.
	 * @param maxWaiters the number of callers
	 * @return this builder
	 * @see LockOptions#maxWaiters(int)
	 */
	public LocalLockClientBuilder maxWaiters(int maxWaiters) {
		this.maxWaiters = maxWaiters;
		return this;
	}

	/**
	 * Sets how long owners have a lock at most whose {@link LockOptions} name no time.
	 * Default {@link LockOptions#FOREVER}.
	 * @param maxHold the longest time
	 * @return this builder
	 * @see LockOptions#maxHold(Duration)
	 */
	public LocalLockClientBuilder maxHold(Duration maxHold) {
		this.maxHold = Objects.requireNonNull(maxHold, "Max hold must not be null");
		return this;
	}

	/**
	 * Sets after which time a held lock is a warning in the log, once for each hold, with
	 * the stack of what its owner does then, and of where it acquired the lock. To have
	 * that costs each acquisition a stack trace. Default zero, for no warning.
	 * @param heldTooLong zero, or 100 ms to 366 days
	 * @return this builder
	 */
	public LocalLockClientBuilder heldTooLong(Duration heldTooLong) {
		this.heldTooLong = Objects.requireNonNull(heldTooLong, "Held too long must not be null");
		return this;
	}

	/**
	 * Sets after which time a wait is a warning in the log, with which thread of this
	 * client holds the lock, if one does. Default zero, for no warning.
	 * @param waitTooLong zero, or 100 ms to 366 days
	 * @return this builder
	 */
	public LocalLockClientBuilder waitTooLong(Duration waitTooLong) {
		this.waitTooLong = Objects.requireNonNull(waitTooLong, "Wait too long must not be null");
		return this;
	}

	/**
	 * Sets how long callers wait, whatever they ask for: for tests. Asked on the thread
	 * of each caller of a lock that its thread does not hold, but not for a wait without
	 * end; must not throw. Default: as long as they ask for.
	 * @param waits turns the longest wait of a caller into another, not negative; zero
	 * for a single attempt
	 * @return this builder
	 */
	public LocalLockClientBuilder waits(UnaryOperator<Duration> waits) {
		this.waits = Objects.requireNonNull(waits, "Waits must not be null");
		return this;
	}

	/**
	 * Adds an observer, for metrics, traces and losses. Default: nobody observes.
	 * @param observer who is told of everything
	 * @return this builder
	 */
	public LocalLockClientBuilder observer(LockObserver observer) {
		this.observers.add(Objects.requireNonNull(observer, "Observer must not be null"));
		return this;
	}

	/**
	 * Sets the monotonic clock, for tests.
	 */
	LocalLockClientBuilder nanoTime(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		return this;
	}

	/**
	 * Builds and starts the client.
	 * @return the client; close it
	 * @throws IllegalArgumentException if a setting is out of its bounds
	 */
	public LocalLockClient build() {
		String clientId = ClientId.create(this.application).text();
		ClientSettings client = new ClientSettings(KEYS, clientId, this.waitTime, this.leaseTime, (lease) -> {
		}, this.waits, this.watchdogTimeout, this.waiterTimeout, Duration.ZERO, MAX_LOCAL_HANDOFFS, this.maxWaiters,
				this.maxHold, this.heldTooLong, this.waitTooLong, List.copyOf(this.observers), this.nanoTime);
		ServerSettings server = new ServerSettings(KEYS, clientId, this.waiterTimeout, TOKEN_RETENTION);
		return new LocalLockClient((this.locks != null) ? this.locks : new LocalLocks(), client, server);
	}

}
