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
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LeaseView;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.TooManyWaitersException;
import io.holdfast.lock.internal.engine.Grant;
import org.jspecify.annotations.Nullable;

/**
 * A lock that the calling thread owns, or several of which it has all or none. Has no
 * state: what a thread holds is in the engine.
 *
 * @param client whose lock it is
 * @param names the names, in the order in which everybody acquires them
 * @param options how the thread acquires each; only {@link #acquire()} takes their wait
 * time
 */
record ThreadLock(AbstractLockClient client, List<String> names, LockOptions options) implements LeaseLock {

	@Override
	public ThreadLock named(String declared) {
		return new ThreadLock(this.client, this.names, this.options.named(declared));
	}

	@Override
	public String name() {
		return AllOrNothing.describe(this.names);
	}

	@Override
	public boolean isFair() {
		return this.options.fair();
	}

	// Acquire

	@Override
	public void lock() {
		acquireUninterruptibly(LockOptions.FOREVER);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		acquire(LockOptions.FOREVER, true);
	}

	@Override
	public boolean tryLock() {
		return acquireUninterruptibly(Duration.ZERO) == null;
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		Objects.requireNonNull(unit, "Time unit must not be null");
		return tryLock(Duration.ofNanos(Math.max(unit.toNanos(time), 0)));
	}

	@Override
	public boolean tryLock(Duration maxWait) throws InterruptedException {
		// Refuses what is out of bounds.
		LockOptions.defaults().waitTime(maxWait);
		try {
			return acquire(maxWait, true) == null;
		}
		catch (TooManyWaitersException ex) {
			return false;
		}
	}

	@Override
	public void acquire() throws InterruptedException {
		Duration maxWait = this.client.waitTime(this.options);
		String refused = acquire(maxWait, true);
		if (refused != null) {
			throw this.client.runtime.errors.notAcquired(want(refused, maxWait));
		}
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

	private @Nullable String acquireUninterruptibly(Duration maxWait) {
		try {
			return acquire(maxWait, false);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Not interruptible", ex);
		}
	}

	/**
	 * Acquires it for the calling thread.
	 * @return what refused it, the name of the lock that another holds; {@code null} if
	 * it was acquired
	 */
	private @Nullable String acquire(Duration maxWait, boolean interruptible) throws InterruptedException {
		if (this.names.size() == 1) {
			String only = this.names.get(0);
			return (acquire(only, maxWait, interruptible) != null) ? null : only;
		}
		Releaser releaser = this.client.runtime.releaser;
		return new AllOrNothing<Grant>(this.client.runtime::now, (name, left) -> acquire(name, left, interruptible),
				releaser::check, (grant) -> releaser.release(grant, isRead()))
			.acquire(this.names, maxWait, new ArrayList<>(this.names.size()));
	}

	private @Nullable Grant acquire(String name, Duration maxWait, boolean interruptible) throws InterruptedException {
		return this.client.acquire(want(name, maxWait), Thread.currentThread(), interruptible);
	}

	private Want want(String name, Duration maxWait) {
		return this.client.want(name, this.options, maxWait);
	}

	private boolean isRead() {
		return this.options.mode().kind() == LockMode.Kind.SHARED;
	}

	// Release

	@Override
	public void unlock() {
		// All or none: only this thread takes away what it owes.
		AllOrNothing.giveBackAll(owed(), (grant) -> this.client.runtime.releaser.release(grant, isRead()));
	}

	/** Gives back each that is still there, also if another one is not. */
	void unlockEach() {
		AllOrNothing.giveBackAll(this.names,
				(name) -> new ThreadLock(this.client, List.of(name), this.options).unlock());
	}

	@Override
	public boolean forceUnlock() {
		return this.names.stream().filter((name) -> this.client.directory().forceUnlock(name).isPresent()).count() > 0;
	}

	// Look

	@Override
	public boolean isLocked() {
		return this.names.stream().anyMatch((name) -> this.client.directory().find(name).isPresent());
	}

	@Override
	public boolean isHeldByCurrentThread() {
		return holdCount() > 0;
	}

	@Override
	public int holdCount() {
		int least = Integer.MAX_VALUE;
		for (String name : this.names) {
			Grant grant = grant(name);
			least = Math.min(least,
					(grant != null && grant.isHeld(this.client.runtime.now())) ? grant.count(isRead()) : 0);
		}
		return least;
	}

	@Override
	public Duration validFor() {
		return this.names.stream().map(this::validFor).min(Comparator.naturalOrder()).orElse(Duration.ZERO);
	}

	private Duration validFor(String name) {
		Grant grant = grant(name);
		return (grant != null) ? new GrantView(this.client.runtime, grant).validFor() : Duration.ZERO;
	}

	@Override
	public long token() {
		if (this.names.size() > 1) {
			throw new IllegalStateException(
					"Each of the locks " + name() + " has a fencing token of its own: use lease().token(name)");
		}
		return owed().get(0).token();
	}

	@Override
	public LeaseView lease() {
		List<GrantView> each = owed().stream().map((grant) -> new GrantView(this.client.runtime, grant)).toList();
		LeaseView lease = (each.size() > 1) ? new MultiView<>(each) : each.get(0);
		lease.throwIfLost();
		return lease;
	}

	/**
	 * What the calling thread has to unlock of each: a hold, or a loss.
	 * @throws IllegalMonitorStateException if of one it has nothing
	 */
	private List<Grant> owed() {
		List<Grant> owed = new ArrayList<>(this.names.size());
		for (String name : this.names) {
			Grant grant = grant(name);
			if (grant == null) {
				throw this.client.runtime.errors.notHeld(want(name, Duration.ZERO));
			}
			owed.add(grant);
		}
		return owed;
	}

	private @Nullable Grant grant(String name) {
		Grant grant = this.client.runtime.table.grant(name, Thread.currentThread());
		// Permits are no hold of another mode.
		return (grant != null && grant.count(isRead()) > 0 && Call.of(grant).wish().mode().covers(this.options.mode()))
				? grant : null;
	}

	@Override
	public String toString() {
		return "LeaseLock[" + name() + (isRead() ? ", read" : "") + (isFair() ? ", fair" : "") + "]";
	}

}
