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

import java.util.Objects;

import io.holdfast.lock.internal.protocol.Wish;
import org.jspecify.annotations.Nullable;

/**
 * A caller that wants a lock. Its outcome is set once, in the monitor of the lock; the
 * caller is woken after that.
 */
public abstract class Waiter extends Timers.Timer {

	final Object owner;

	final Wish wish;

	final long leaseMillis;

	final boolean watched;

	final long sinceNanos;

	final long deadlineNanos;

	private final String threadName;

	final long threadId;

	/** For how long it may have the lock; 0 for any time. */
	final long maxHoldNanos;

	/** Whether it is the timer of its wait. */
	boolean timed;

	/** The line in which it stands. Guarded by the monitor of the lock. */
	@Nullable Line line;

	/** Guarded by the monitor of the lock. */
	boolean cancelled;

	private volatile @Nullable Verdict outcome;

	volatile boolean abandoned;

	/**
	 * Create the waiter.
	 * @param owner who will hold the lock
	 * @param wish what it asks for
	 * @param leaseMillis its lease
	 * @param watched whether the lease is renewed
	 * @param sinceNanos since when it waits
	 * @param waitNanos for how long
	 * @param maxHoldNanos for how long it may have the lock; 0 for any time
	 */
	protected Waiter(Object owner, Wish wish, long leaseMillis, boolean watched, long sinceNanos, long waitNanos,
			long maxHoldNanos) {
		this.owner = owner;
		this.wish = wish;
		this.leaseMillis = leaseMillis;
		this.watched = watched;
		this.sinceNanos = sinceNanos;
		this.deadlineNanos = sinceNanos + waitNanos;
		this.maxHoldNanos = maxHoldNanos;
		Thread thread = Thread.currentThread();
		this.threadId = thread.getId();
		this.threadName = nameOf(thread);
	}

	/**
	 * How messages call a thread: most virtual ones have no name.
	 */
	public static String nameOf(Thread thread) {
		return thread.getName().isEmpty() ? "#" + thread.getId() : thread.getName();
	}

	/**
	 * Has its wait ended by a timer, for a caller that does not do so itself.
	 * @return this
	 */
	public Waiter timed() {
		this.timed = true;
		return this;
	}

	private Line line() {
		return Objects.requireNonNull(this.line);
	}

	@Override
	public LockState state() {
		return line().claims.state;
	}

	/**
	 * Its wait is over, or after that its hold.
	 */
	@Override
	void fire(long now, Effects out) {
		if (this.outcome instanceof Verdict.Granted granted && this.maxHoldNanos > 0) {
			line().claims.owners.overdue(granted.grant(), now, out);
		}
		else {
			line().settle(now, out);
		}
	}

	/**
	 * Nobody waits for its outcome, as its caller was thrown out. What it may yet be
	 * granted is an orphan.
	 */
	protected final void abandon() {
		this.abandoned = true;
	}

	/**
	 * What it is told in the end, or {@code null} while it waits.
	 */
	public @Nullable Verdict outcome() {
		return this.outcome;
	}

	void end(Verdict verdict, Effects out) {
		// First, as it may throw, and an outcome that nobody hears is worse than none.
		out.add(new Effects.Wake(this));
		this.outcome = verdict;
		if (this.timed && this.line != null) {
			this.line.context.timers().remove(this);
		}
	}

	boolean isOver() {
		return this.outcome != null;
	}

	/**
	 * Whether it does not wait any longer.
	 */
	public boolean isTimeUp(long now) {
		return this.cancelled || this.abandoned || Context.isReached(this.deadlineNanos, now);
	}

	public Wish wish() {
		return this.wish;
	}

	public long sinceNanos() {
		return this.sinceNanos;
	}

	public Object owner() {
		return this.owner;
	}

	/**
	 * Who called: the name of the thread.
	 */
	public String threadName() {
		return this.threadName;
	}

	/**
	 * Wakes the caller: it has its outcome. Not called in a monitor.
	 */
	public abstract void wake();

}
