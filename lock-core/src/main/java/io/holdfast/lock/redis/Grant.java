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

package io.holdfast.lock.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The right of one owner to run, with its fencing token. Valid until it is released,
 * lost, or its deadline has passed, whichever is first. The deadline counts, not whether
 * anybody noticed it: {@link #isValid(long)} needs no other thread to be on time.
 */
final class Grant {

	/**
	 * At the level debug it costs each acquisition a stack trace.
	 */
	private static final Log leaks = LogFactory.getLog("io.holdfast.lock.leaks");

	final LocalLock lock;

	final Contender contender;

	/**
	 * A {@link Thread}, or for a handle the {@link HeldLease.Owner}.
	 */
	final Object owner;

	final LeaseSpec lease;

	/**
	 * Zero until the client has fetched one. Guarded by the lock.
	 */
	volatile long token;

	/**
	 * How often the owner has acquired it. Guarded by the lock.
	 */
	int count = 1;

	/**
	 * Whether the watchdog renews it. Guarded by the lock.
	 */
	boolean watched;

	/**
	 * Whether it must be renewed before its owner may run: it came by message and is too
	 * old, has no token yet, or replicas have to acknowledge it. Guarded by the lock.
	 */
	boolean unconfirmed;

	private volatile long deadlineNanos;

	private volatile boolean released;

	private volatile @Nullable LockLoss loss;

	private @Nullable List<Consumer<? super LockLoss>> lossActions;

	private volatile @Nullable Throwable origin;

	Grant(LocalLock lock, Contender contender, Waiter waiter, long token, long deadlineNanos) {
		this.lock = lock;
		this.contender = contender;
		this.owner = waiter.owner;
		this.lease = waiter.lease;
		this.watched = waiter.lease.watched();
		this.token = token;
		this.deadlineNanos = deadlineNanos;
	}

	boolean isValid(long nowNanos) {
		return !this.released && this.loss == null && nowNanos - this.deadlineNanos < 0;
	}

	/**
	 * Counts one more acquisition of its owner.
	 */
	void acquireAgain() {
		if (this.count == Integer.MAX_VALUE) {
			throw new IllegalStateException("Lock '" + this.lock.name + "' is held " + this.count
					+ " times by the same owner, which is the most there can be");
		}
		this.count++;
	}

	/**
	 * By identity: a subclass of Thread may have an {@code equals} of its own.
	 */
	boolean isOwnedBy(Object candidate) {
		return this.owner == candidate;
	}

	/**
	 * Whether its owner can no longer release it: the thread has ended, or the handle is
	 * forgotten.
	 */
	boolean isOrphaned() {
		return (this.owner instanceof Thread thread) ? !thread.isAlive() : ((HeldLease.Owner) this.owner).isForgotten();
	}

	/**
	 * The name of the thread that owns it, or {@code null} if a handle does.
	 */
	@Nullable String threadName() {
		return (this.owner instanceof Thread thread) ? thread.getName() : null;
	}

	/**
	 * Remembers who calls, if somebody wants to know.
	 */
	void noteOrigin() {
		if (leaks.isDebugEnabled() && this.origin == null) {
			this.origin = new Throwable("Lock '" + this.lock.name + "' was acquired here");
		}
	}

	/**
	 * Tells that nobody will release it.
	 */
	void warnOfLeak() {
		Throwable acquired = this.origin;
		String who = (threadName() != null) ? "thread '" + threadName() + "'" : "a forgotten lease";
		leaks.warn(
				"Lock '" + this.lock.name + "' with fencing token " + this.token
						+ " was not released: its owner is gone (" + who
						+ "). It is not renewed any more and ends with its lease. "
						+ ((acquired != null) ? "It was acquired here:"
								: "With logging.level.io.holdfast.lock.leaks=debug this tells where it was acquired"),
				acquired);
	}

	long deadlineNanos() {
		return this.deadlineNanos;
	}

	/**
	 * Moves the deadline forward, never back.
	 */
	void extend(long deadlineNanos) {
		if (deadlineNanos - this.deadlineNanos > 0) {
			this.deadlineNanos = deadlineNanos;
		}
	}

	void release() {
		this.released = true;
	}

	boolean isReleased() {
		return this.released;
	}

	@Nullable LockLoss loss() {
		return this.loss;
	}

	/**
	 * Marks it lost. Guarded by the lock.
	 * @return what to tell to whom
	 */
	Notice lose(Cause cause, long nowNanos) {
		long sinceNanos = (cause == Cause.EXPIRED) ? this.deadlineNanos : nowNanos;
		Instant since = Instant.now().minusMillis(TimeUnit.NANOSECONDS.toMillis(nowNanos - sinceNanos));
		LockLoss lost = new LockLoss(this.lock.name, this.token, since, cause);
		this.loss = lost;
		List<Consumer<? super LockLoss>> actions = (this.lossActions != null) ? this.lossActions : List.of();
		this.lossActions = null;
		return new Notice(lost, actions);
	}

	/**
	 * Keeps an action for the case that it is lost. Guarded by the lock.
	 */
	void onLost(Consumer<? super LockLoss> action) {
		if (this.lossActions == null) {
			this.lossActions = new ArrayList<>(1);
		}
		this.lossActions.add(action);
	}

	/**
	 * A loss and the actions that wait for it.
	 *
	 * @param loss what was lost
	 * @param actions whom to tell, besides the client's listeners
	 */
	record Notice(LockLoss loss, List<Consumer<? super LockLoss>> actions) {
	}

}
