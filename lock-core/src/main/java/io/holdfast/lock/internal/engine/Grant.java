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

import java.lang.ref.Reference;

import io.holdfast.lock.LockLoss.Cause;
import org.jspecify.annotations.Nullable;

/**
 * The right of one owner to run. Counts are guarded by the monitor of the lock; a thread
 * that owns it reads them without, as from the grant on it alone changes them.
 */
public final class Grant {

	private final Waiter waiter;

	private final long sinceNanos;

	private final boolean passedOn;

	final Hold hold;

	volatile long token;

	volatile @Nullable Cause loss;

	/** How often its owner has locked it to write, or has a permit. */
	int alone;

	/** How often its owner has locked it to read. */
	int shared;

	private volatile boolean unlocked;

	/** The next one whose loss is to be told. Guarded by the context. */
	@Nullable Grant nextLost;

	Grant(Waiter waiter, Hold hold, long token, long now) {
		this.waiter = waiter;
		this.hold = hold;
		this.token = token;
		this.sinceNanos = now;
		this.passedOn = !hold.fresh;
	}

	public String name() {
		return state().name();
	}

	/**
	 * The caller that got it.
	 */
	public Waiter waiter() {
		return this.waiter;
	}

	/**
	 * Since when its owner has it.
	 */
	public long sinceNanos() {
		return this.sinceNanos;
	}

	/**
	 * Whether another owner of this client passed it on, without a command.
	 */
	public boolean wasPassedOn() {
		return this.passedOn;
	}

	/**
	 * The request whose hold it is part of.
	 */
	public String requestId() {
		return this.hold.request.id;
	}

	/**
	 * How often the calling thread, which owns it, has yet to unlock it.
	 */
	public int count(boolean read) {
		return read ? this.shared : this.alone;
	}

	/**
	 * Whether its owner has unlocked it as often as it has locked it.
	 */
	public boolean isUnlocked() {
		return this.unlocked;
	}

	/**
	 * Whether its owner may run. Asks nobody.
	 */
	public boolean isValid(long now) {
		return isHeld(now) && this.hold.isSure(now);
	}

	/**
	 * Whether it is neither lost nor given back, as far as is known.
	 */
	public boolean isHeld(long now) {
		return this.loss == null && !this.unlocked && !this.hold.isOver(now);
	}

	/**
	 * The name of the thread that owns it, or {@code null} if a handle does.
	 */
	public @Nullable String threadName() {
		return (owner() instanceof Thread thread) ? Waiter.nameOf(thread) : null;
	}

	/**
	 * Who owns it, for people to read.
	 */
	public String describeOwner() {
		return (owner() instanceof Thread thread) ? "thread '" + Waiter.nameOf(thread) + "'"
				: "a lease of thread '" + this.waiter.threadName() + "'";
	}

	/**
	 * Whether a thread owns it, or has acquired it for a handle.
	 */
	public boolean wasAcquiredBy(Thread thread) {
		return this.waiter.threadId == thread.getId();
	}

	/**
	 * Whether its owner can no longer give it back: the thread has ended, or nobody has
	 * the handle, to which the owner refers weakly.
	 */
	public boolean isOrphaned() {
		return this.waiter.abandoned || ((owner() instanceof Thread thread) ? !thread.isAlive()
				: owner() instanceof Reference<?> handle && handle.refersTo(null));
	}

	public Object owner() {
		return this.waiter.owner;
	}

	public LockState state() {
		return this.hold.request.claims.state;
	}

	/**
	 * Its fencing token: larger than that of every earlier grant that excluded this one.
	 */
	public long token() {
		return this.token;
	}

	/**
	 * When its lease is over, in local nanoseconds.
	 */
	public long untilNanos() {
		return this.hold.untilNanos();
	}

	/**
	 * Until when its owner may rely on it, as far as is known now.
	 */
	public long sureNanos() {
		return this.hold.sureNanos();
	}

	/**
	 * How it was lost, or {@code null}.
	 */
	public @Nullable Cause loss() {
		return this.loss;
	}

	@Override
	public String toString() {
		return "token " + this.token + " of " + name();
	}

	/**
	 * Counts one acquisition, or with -1 the end of one.
	 */
	void add(boolean read, int more) {
		if (read) {
			this.shared += more;
		}
		else {
			this.alone += more;
		}
		this.unlocked = this.alone + this.shared == 0;
	}

}
