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

package io.holdfast.lock.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockType;
import org.jspecify.annotations.Nullable;

/**
 * The right of one owner to run, with its fencing token. It exists only when it may be
 * used. Valid until it is released, lost, or its deadline has passed, whichever is first.
 * The deadline counts, not whether anybody noticed it: {@link #isValid(long)} needs no
 * other thread to be on time.
 */
public final class Grant {

	/*
	 * Why an observer is told of a loss once, and after it was told of the grant. The
	 * owner's thread tells of the grant, and then puts the observer here; the notifier's
	 * thread takes it from here to have it told of the loss. Both do so under the monitor
	 * of this. If the notifier comes first it finds nobody, and leaves a mark, which the
	 * owner finds and has the loss told itself. A grant that never reaches its owner has
	 * no observer: that one is told of the failure instead.
	 */

	final QueueEntry entry;

	private final Object owner;

	private final long token;

	private final long sinceNanos;

	private @Nullable Throwable origin;

	private final boolean passedOn;

	/**
	 * How often the owner has acquired it. Guarded by the lock.
	 */
	private int count = 1;

	/** Whether the watchdog renews it. Guarded by the lock. */
	private boolean watched;

	/** Whether a warning said that it is held for too long. Guarded by the lock. */
	private boolean reported;

	private volatile long deadlineNanos;

	private volatile boolean released;

	private volatile @Nullable LockLoss loss;

	/**
	 * The request to release when it is given back although it is lost, or {@code null}.
	 * Guarded by the lock.
	 */
	private @Nullable String overId;

	/**
	 * What is to be done about its loss if a thread owns it; a handle keeps its own.
	 * {@code null} as long as that is nothing. Guarded by this.
	 */
	private @Nullable LossActions lossActions;

	/**
	 * Who is told of its end, from the moment on at which its owner has it. Written under
	 * the monitor of this.
	 */
	private volatile LockObserver.Attempt attempt = LockObserver.Attempt.UNOBSERVED;

	/** Whether its owner has it, as observers know. Guarded by this. */
	private boolean observed;

	/** Whether a loss was reported before that. Guarded by this. */
	private boolean lossUntold;

	Grant(QueueEntry entry, Waiter waiter, long token, boolean passedOn, long deadlineNanos, long nowNanos) {
		this.passedOn = passedOn;
		this.entry = entry;
		this.owner = waiter.owner;
		this.watched = waiter.lease.watched();
		this.token = token;
		this.deadlineNanos = deadlineNanos;
		this.sinceNanos = nowNanos;
	}

	/**
	 * The name of the lock.
	 */
	public String name() {
		return this.entry.lock.name();
	}

	/**
	 * The order for which its owner asked.
	 */
	public LockType type() {
		return this.entry.type();
	}

	/**
	 * The fencing token.
	 */
	public long token() {
		return this.token;
	}

	/**
	 * When its owner got it, by the monotonic clock.
	 */
	public long sinceNanos() {
		return this.sinceNanos;
	}

	/**
	 * Who owns it: a {@link Thread}, or a {@link HandleOwner}.
	 */
	public Object owner() {
		return this.owner;
	}

	/**
	 * Whether another owner of this client passed it on, without a command.
	 */
	public boolean wasPassedOn() {
		return this.passedOn;
	}

	/**
	 * Until when it is believed in, by the monotonic clock.
	 */
	public long deadlineNanos() {
		return this.deadlineNanos;
	}

	/**
	 * Where it was acquired, if somebody wanted to know.
	 */
	public @Nullable Throwable origin() {
		return this.origin;
	}

	/**
	 * Remembers where it was acquired.
	 */
	public void origin(Throwable acquired) {
		this.origin = acquired;
	}

	/**
	 * The name of the thread that owns it, or {@code null} if a handle does.
	 */
	public @Nullable String threadName() {
		return (this.owner instanceof Thread thread) ? HandleOwner.nameOf(thread) : null;
	}

	/**
	 * Who owns it, for people to read.
	 */
	public String describeOwner() {
		return (this.owner instanceof HandleOwner handle) ? "a lease of thread '" + handle.threadName() + "'"
				: "thread '" + HandleOwner.nameOf((Thread) this.owner) + "'";
	}

	/**
	 * Whether a thread owns it, or has acquired it for a handle.
	 */
	public boolean wasAcquiredBy(Thread thread) {
		return (this.owner instanceof HandleOwner handle) ? handle.wasAcquiredBy(thread) : this.owner == thread;
	}

	/**
	 * Whether its owner may run. Asks nobody.
	 */
	public boolean isValid(long nowNanos) {
		return isLive() && !isOver(nowNanos);
	}

	/**
	 * For how long its owner may run.
	 */
	public Duration validFor(long nowNanos) {
		return isValid(nowNanos) ? Duration.ofNanos(this.deadlineNanos - nowNanos) : Duration.ZERO;
	}

	/**
	 * How it was lost, if it is known to be.
	 */
	public @Nullable LockLoss loss() {
		return this.loss;
	}

	/**
	 * What is to be done about its loss if a thread owns it.
	 */
	public synchronized LossActions lossActions() {
		if (this.lossActions == null) {
			this.lossActions = new LossActions();
		}
		return this.lossActions;
	}

	/**
	 * What is to be done about its loss; {@code null} if that is nothing.
	 */
	public @Nullable LossActions wantedLossActions() {
		return (this.owner instanceof HandleOwner handle) ? handle.lossActions() : ownLossActions();
	}

	private synchronized @Nullable LossActions ownLossActions() {
		return this.lossActions;
	}

	/**
	 * Who observes it; nobody until its owner has it.
	 */
	public LockObserver.Attempt attempt() {
		return this.attempt;
	}

	/**
	 * Takes in that its owner has it.
	 * @param owned who observes it from now on
	 * @return the loss of which to tell now, because it came first; or {@code null}
	 */
	public synchronized @Nullable LockLoss observe(LockObserver.Attempt owned) {
		this.attempt = owned;
		this.observed = true;
		return this.lossUntold ? this.loss : null;
	}

	/**
	 * Who is to be told that it is lost; {@code null} if its owner does not have it yet:
	 * then that is told later.
	 */
	public synchronized LockObserver.@Nullable Attempt observerOfLoss() {
		this.lossUntold = !this.observed;
		return this.observed ? this.attempt : null;
	}

	/**
	 * Whether it was neither released nor is known to be lost.
	 */
	boolean isLive() {
		return !this.released && this.loss == null;
	}

	boolean isOver(long nowNanos) {
		return Time.isReached(this.deadlineNanos, nowNanos);
	}

	boolean isWatched() {
		return this.watched;
	}

	void watch(boolean watch) {
		this.watched = watch;
	}

	boolean isReported() {
		return this.reported;
	}

	void markReported() {
		this.reported = true;
	}

	/**
	 * Whether it lasts as long as its owner wants who acquires it once more.
	 */
	boolean isEnoughFor(LeaseSpec lease, long nowNanos) {
		return lease.watched() ? this.watched : this.deadlineNanos - nowNanos >= lease.nanos();
	}

	void acquireAgain() {
		if (this.count == Integer.MAX_VALUE) {
			throw new IllegalStateException("Lock '" + name() + "' is held " + this.count
					+ " times by the same owner, which is the most there can be. Look for a recursion that locks and "
					+ "does not unlock");
		}
		this.count++;
	}

	/**
	 * Gives back one acquisition of several.
	 * @return whether it was one of several
	 */
	boolean giveBackOne() {
		if (this.count == 1) {
			return false;
		}
		this.count--;
		return true;
	}

	/**
	 * How often its owner has yet to give it back.
	 */
	int count() {
		return this.count;
	}

	/**
	 * Whether its owner can no longer release it: the thread has ended, or the handle is
	 * forgotten.
	 */
	boolean isOrphaned() {
		return (this.owner instanceof Thread thread) ? !thread.isAlive() : ((HandleOwner) this.owner).isForgotten();
	}

	/**
	 * Moves the deadline forward, never back.
	 */
	void extend(long nanos) {
		if (nanos - this.deadlineNanos > 0) {
			this.deadlineNanos = nanos;
		}
	}

	@Nullable String overId() {
		return this.overId;
	}

	void overId(String id) {
		this.overId = id;
	}

	void release() {
		this.released = true;
	}

	boolean isReleased() {
		return this.released;
	}

	/**
	 * What its owner has to be told if it is lost now.
	 */
	LockLoss lossBy(Cause cause, long nowNanos) {
		long lostNanos = (cause == Cause.EXPIRED) ? this.deadlineNanos : nowNanos;
		Instant since = Instant.now().minusMillis(TimeUnit.NANOSECONDS.toMillis(nowNanos - lostNanos));
		Duration held = Duration.ofNanos(Math.max(lostNanos - this.sinceNanos, 0));
		return new LockLoss(name(), type(), this.token, since, cause, held);
	}

	/**
	 * Ends it as lost.
	 */
	void lose(LockLoss lost) {
		this.loss = lost;
	}

}
