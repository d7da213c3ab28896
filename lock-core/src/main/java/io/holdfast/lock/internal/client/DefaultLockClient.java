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
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientHealth;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.LockedTask;
import io.holdfast.lock.internal.client.AllOrNothing.Outcome;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.HandleOwner;
import io.holdfast.lock.internal.engine.LeaseSpec;
import io.holdfast.lock.internal.server.LimitedLog;
import org.jspecify.annotations.Nullable;

/**
 * A client, whatever server it uses.
 */
public final class DefaultLockClient implements LockClient {

	/**
	 * Half the range, so that differences between times never overflow.
	 */
	private static final Duration LONGEST_WAIT = Duration.ofNanos(Long.MAX_VALUE / 2);

	private final LockRuntime runtime;

	private final ClientSettings settings;

	private final LockDirectory directory;

	private final LimitedLog unreleased = new LimitedLog(DefaultLockClient.class);

	/**
	 * Create the client of a runtime that was started.
	 */
	public DefaultLockClient(LockRuntime runtime) {
		this.runtime = runtime;
		this.settings = runtime.settings();
		this.directory = new ServerLockDirectory(runtime);
	}

	@Override
	public LeaseLock getLock(String name, LockType type) {
		checkType(type);
		return new ThreadLock(this, this.runtime, name, type);
	}

	@Override
	public LeaseLock getLock(Collection<String> names, LockType type) {
		checkType(type);
		List<ThreadLock> locks = AllOrNothing.order(names)
			.stream()
			.map((name) -> new ThreadLock(this, this.runtime, name, type))
			.toList();
		return (locks.size() > 1) ? new MultiLock(this.runtime, locks, type) : locks.get(0);
	}

	@Override
	public Lease acquire(String name, LockOptions options) throws InterruptedException {
		return tryAcquire(name, options).orElseThrow(() -> notAcquired(name, options));
	}

	@Override
	public Optional<Lease> tryAcquire(String name, LockOptions options) throws InterruptedException {
		checkOptions(options);
		Grant grant = acquire(name, options.type(), new HandleOwner(), waitTime(options), leaseTime(options), true,
				() -> this.runtime.observers().wanted(name, options.declaredName(), options.type()));
		if (grant == null) {
			return Optional.empty();
		}
		try {
			return Optional.of(handle(grant));
		}
		catch (Throwable ex) {
			// Nobody would ever notice that nobody has it.
			this.runtime.releaser().releaseQuietly(grant);
			throw ex;
		}
	}

	private Lease handle(Grant grant) {
		return ((HandleOwner) grant.owner()).bind(new GrantLease(this.runtime, grant));
	}

	@Override
	public Lease acquire(Collection<String> names, LockOptions options) throws InterruptedException {
		Outcome<Lease> outcome = acquireEach(names, options);
		if (outcome.refused() != null) {
			throw notAcquired(outcome.refused(), options);
		}
		return new MultiLease(outcome.held());
	}

	@Override
	public Optional<Lease> tryAcquire(Collection<String> names, LockOptions options) throws InterruptedException {
		Outcome<Lease> outcome = acquireEach(names, options);
		return (outcome.refused() != null) ? Optional.empty() : Optional.of(new MultiLease(outcome.held()));
	}

	private Outcome<Lease> acquireEach(Collection<String> names, LockOptions options) throws InterruptedException {
		checkOptions(options);
		AllOrNothing.SingleAcquire<Lease> single = (name, left) -> tryAcquire(name, options.waitTime(left))
			.orElse(null);
		return new AllOrNothing<>(this.runtime.engine()::now, single, Lease::isValid, Lease::close)
			.acquire(AllOrNothing.order(names), waitTime(options));
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(String name, LockOptions options,
			LockedTask<T, E> task) throws E, InterruptedException {
		checkOptions(options);
		Objects.requireNonNull(task, "Task must not be null");
		LeaseLock lock = getLock(name, options);
		if (!lock.tryLock(waitTime(options), leaseTime(options))) {
			throw notAcquired(name, options);
		}
		T result;
		try {
			result = task.run(lock.lease());
		}
		catch (Throwable ex) {
			unlockAfter(ex, lock);
			throw ex;
		}
		try {
			lock.unlock();
		}
		catch (LockServerException ex) {
			this.unreleased
				.warn("The task is done, but Redis has not confirmed that its lock is released. " + ex.getMessage());
		}
		return result;
	}

	private LeaseLock getLock(String name, LockOptions options) {
		LeaseLock lock = getLock(name, options.type());
		return (options.declaredName() != null) ? lock.named(options.declaredName()) : lock;
	}

	private static void unlockAfter(Throwable thrown, LeaseLock lock) {
		try {
			lock.unlock();
		}
		catch (LockException | IllegalMonitorStateException ex) {
			thrown.addSuppressed(ex);
		}
	}

	private static void checkOptions(LockOptions options) {
		Objects.requireNonNull(options, "Lock options must not be null");
	}

	private LockNotAcquiredException notAcquired(String name, LockOptions options) {
		return this.runtime.errors().notAcquired(name, options.type(), waitTime(options));
	}

	private Duration waitTime(LockOptions options) {
		Duration waitTime = options.waitTime();
		return (waitTime != null) ? waitTime : this.settings.waitTime();
	}

	private Duration leaseTime(LockOptions options) {
		Duration leaseTime = options.leaseTime();
		return (leaseTime != null) ? leaseTime : this.settings.leaseTime();
	}

	/**
	 * Acquires a lock for an owner.
	 * @param beginAttempt tells observers that the lock is wanted, and returns who is
	 * told what comes of it; called unless the owner has it
	 * @return the grant, or {@code null} if the wait timed out
	 */
	@Nullable Grant acquire(String name, LockType type, Object owner, Duration maxWait, Duration lease, boolean interruptible,
			Supplier<LockObserver.Attempt> beginAttempt) throws InterruptedException {
		checkType(type);
		LeaseSpec spec = this.settings.lease(lease);
		boolean mayEnter = !interruptible || !Thread.currentThread().isInterrupted();
		if (owner instanceof Thread thread && mayEnter) {
			Grant held = this.runtime.engine().reentry().enter(name, thread, spec);
			if (held != null) {
				held.attempt().reentered();
				return held;
			}
		}
		// A wait without end has no way to say that it ended.
		Duration wait = maxWait.equals(LockOptions.FOREVER) ? maxWait : this.settings.waits().apply(maxWait);
		return new BlockingAcquire(this.runtime, name, type, owner, spec, nanos(wait), interruptible, beginAttempt)
			.acquire();
	}

	private void checkType(LockType type) {
		Objects.requireNonNull(type, "Lock type must not be null");
		if (type == LockType.FAIR && !this.settings.engine().queues()) {
			throw new UnsupportedOperationException(
					"Fair locks are not supported on a quorum: its servers have no common order of requests");
		}
	}

	static long nanos(Duration duration) {
		return (duration.compareTo(LONGEST_WAIT) < 0) ? duration.toNanos() : LONGEST_WAIT.toNanos();
	}

	@Override
	public LockDirectory directory() {
		return this.directory;
	}

	@Override
	public LockClientHealth health() {
		return this.runtime.health().read();
	}

	@Override
	public String id() {
		return this.settings.clientId();
	}

	@Override
	public void close() {
		this.runtime.close();
	}

}
