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
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LeaseSemaphore;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientHealth;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockedTask;
import io.holdfast.lock.ReadWriteLeaseLock;
import io.holdfast.lock.TooManyWaitersException;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.notice.LimitedLog;
import io.holdfast.lock.internal.operator.ServerLockDirectory;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.Wish;
import org.jspecify.annotations.Nullable;

/**
 * A client, whatever server it uses.
 */
public abstract class AbstractLockClient implements LockClient {

	final LockRuntime runtime;

	private final LockDirectory directory;

	private final LimitedLog unreleased = new LimitedLog(AbstractLockClient.class);

	/**
	 * Create the client of a runtime, and start that.
	 */
	protected AbstractLockClient(LockRuntime runtime) {
		this.runtime = runtime;
		this.directory = new ServerLockDirectory(runtime.view, runtime.server.directory(), runtime.settings.keys(),
				id(), runtime::checkOpen, runtime.observers::forced);
		runtime.start();
	}

	@Override
	public LeaseLock getLock(String name, LockOptions options) {
		return lock(List.of(LockKeys.checked(name)), options);
	}

	@Override
	public LeaseLock getLock(Collection<String> names, LockOptions options) {
		return lock(AllOrNothing.order(names), options);
	}

	private ThreadLock lock(List<String> ordered, LockOptions options) {
		check(options);
		return new ThreadLock(this, ordered, options);
	}

	@Override
	public ReadWriteLeaseLock readWrite(String name, LockOptions options) {
		List<String> names = List.of(LockKeys.checked(name));
		Objects.requireNonNull(options, "Lock options must not be null");
		return new ReadWriteView(lock(names, options.shared()), lock(names, options.mode(LockMode.EXCLUSIVE)));
	}

	@Override
	public LeaseSemaphore semaphore(String name, int limit) {
		check(LockOptions.defaults().permits(1, limit));
		return new SemaphoreView(this, LockKeys.checked(name), limit);
	}

	@Override
	public CompletionStage<Lease> acquireAsync(String name, LockOptions options) {
		return FutureAcquire.acquire(this.runtime, adjusted(want(name, options)));
	}

	@Override
	public CompletionStage<Lease> acquireAsync(Collection<String> names, LockOptions options) {
		List<String> ordered = AllOrNothing.order(names);
		Duration maxWait = want(ordered.get(0), options).maxWait();
		return FutureAllOrNothing.acquire(this.runtime, ordered, maxWait,
				(name, left) -> FutureAcquire.acquire(this.runtime, adjusted(want(name, options).within(left))));
	}

	@Override
	public Lease acquire(String name, LockOptions options) throws InterruptedException {
		Want want = want(name, options);
		return Optional.ofNullable(handle(want)).orElseThrow(() -> this.runtime.errors.notAcquired(want));
	}

	@Override
	public Optional<Lease> tryAcquire(String name, LockOptions options) throws InterruptedException {
		try {
			return Optional.ofNullable(handle(want(name, options)));
		}
		catch (TooManyWaitersException ex) {
			return Optional.empty();
		}
	}

	private @Nullable GrantLease handle(Want want) throws InterruptedException {
		GrantLease handle = new GrantLease(this.runtime);
		Grant grant = acquire(want, handle.owner(), true);
		if (grant == null) {
			return null;
		}
		handle.bind(grant);
		return handle;
	}

	@Override
	public Lease acquire(Collection<String> names, LockOptions options) throws InterruptedException {
		List<GrantLease> held = new ArrayList<>(names.size());
		String refused = acquireEach(names, options, held);
		if (refused != null) {
			throw this.runtime.errors.notAcquired(want(refused, options));
		}
		return MultiLease.of(held);
	}

	@Override
	public Optional<Lease> tryAcquire(Collection<String> names, LockOptions options) throws InterruptedException {
		List<GrantLease> held = new ArrayList<>(names.size());
		try {
			return (acquireEach(names, options, held) != null) ? Optional.empty() : Optional.of(MultiLease.of(held));
		}
		catch (TooManyWaitersException ex) {
			return Optional.empty();
		}
	}

	private @Nullable String acquireEach(Collection<String> names, LockOptions options, List<GrantLease> held)
			throws InterruptedException {
		List<String> ordered = AllOrNothing.order(names);
		Want first = want(ordered.get(0), options);
		return new AllOrNothing<GrantLease>(this.runtime::now, (name, left) -> handle(want(name, options).within(left)),
				GrantLease::throwIfLost, GrantLease::close)
			.acquire(ordered, first.maxWait(), held);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(Collection<String> names, LockOptions options,
			LockedTask<T, E> task) throws E {
		ThreadLock lock = lock(AllOrNothing.order(names), options);
		Objects.requireNonNull(task, "Task must not be null");
		try {
			lock.acquire();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for lock '" + lock.name()
					+ "'. The task was not run; call it again, unless the application shuts down", ex);
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
			lock.unlockEach();
		}
		catch (LockServerException ex) {
			this.unreleased
				.warn("The task is done, but Redis has not confirmed that its lock is released. " + ex.getMessage());
		}
		return result;
	}

	private static void unlockAfter(Throwable thrown, ThreadLock lock) {
		try {
			lock.unlockEach();
		}
		catch (LockException | IllegalMonitorStateException ex) {
			thrown.addSuppressed(ex);
		}
	}

	private Want want(String name, LockOptions options) {
		check(options);
		return want(LockKeys.checked(name), options, waitTime(options));
	}

	Want want(String name, LockOptions options, Duration maxWait) {
		Wish wish = new Wish(options.mode(), options.fair(),
				Objects.requireNonNullElse(options.maxWaiters(), this.runtime.settings.maxWaiters()));
		return new Want(name, wish, options.declaredName(), maxWait,
				Objects.requireNonNullElse(options.leaseTime(), this.runtime.settings.leaseTime()),
				Objects.requireNonNullElse(options.maxHold(), this.runtime.settings.maxHold()));
	}

	Duration waitTime(LockOptions options) {
		return Objects.requireNonNullElse(options.waitTime(), this.runtime.settings.waitTime());
	}

	/**
	 * Acquires a lock for an owner.
	 * @return the grant, or {@code null} if the wait timed out
	 */
	@Nullable Grant acquire(Want want, Object owner, boolean interruptible) throws InterruptedException {
		return new BlockingAcquire(this.runtime, adjusted(want), owner, interruptible).acquire();
	}

	private Want adjusted(Want want) {
		// A wait without end has no way to say that it ended.
		return want.maxWait().equals(LockOptions.FOREVER) ? want
				: want.within(this.runtime.settings.waits().apply(want.maxWait()));
	}

	private void check(LockOptions options) {
		Objects.requireNonNull(options, "Lock options must not be null");
		Duration lease = options.leaseTime();
		if (lease != null && !lease.equals(LockOptions.WATCHDOG)) {
			this.runtime.settings.leaseCheck().accept(lease);
		}
		boolean fair = options.fair();
		boolean bounded = Objects.requireNonNullElse(options.maxWaiters(), this.runtime.settings.maxWaiters()) > 0;
		if (!this.runtime.server.queues() && (fair || bounded || options.mode().kind() != LockMode.Kind.EXCLUSIVE)) {
			throw new UnsupportedOperationException(
					(fair ? "Fair locks" : bounded ? "Max waiters" : "Shared locks and permits")
							+ " are not supported on a quorum: its servers have no common order of requests");
		}
	}

	@Override
	public LockDirectory directory() {
		return this.directory;
	}

	@Override
	public LockClientHealth health() {
		return this.runtime.health.read();
	}

	@Override
	public String id() {
		return this.runtime.settings.clientId();
	}

	@Override
	public void close() {
		this.runtime.shutdown.close();
	}

}
