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

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * A caller of this client that wants a lock, for itself or for a handle. The engine
 * completes it in one way, whoever waits behind it: it sets the grant and wakes the
 * caller, which then asks for its next {@link Step}. What is not final is guarded by the
 * {@link LocalLock}.
 */
public final class Waiter {

	/**
	 * How long a wait that is over goes on where "false" would be wrong: the question of
	 * the caller before it is the first one, and on its way; or nobody has the lock, as
	 * the votes of a quorum were split.
	 */
	private static final long GRACE_NANOS = Time.nanos(1000);

	/**
	 * How often in a row it may come to nothing although nobody need have the lock.
	 */
	private static final int MAX_TRIES = 3;

	/**
	 * Who will own the grant: a {@link Thread}, or a {@link HandleOwner}. Compared by
	 * identity: a subclass of Thread may have an {@code equals} of its own.
	 */
	final Object owner;

	final LeaseSpec lease;

	private final long sinceNanos;

	/**
	 * Whether it waits at all, and until when.
	 */
	private final boolean waits;

	private final long deadlineNanos;

	private final Caller caller;

	/**
	 * The request behind which it stands.
	 */
	@Nullable QueueEntry entry;

	/**
	 * Who stands behind it in the {@link WaitQueue}, which keeps this.
	 */
	@Nullable Waiter behind;

	@Nullable Grant grant;

	/**
	 * Whether it has had its one attempt at least.
	 */
	boolean attempted;

	/**
	 * Whether the server said that another holds the lock, to one that does not wait.
	 */
	boolean refused;

	/**
	 * How often in a row the server found its requests too late, or their holds or places
	 * over.
	 */
	int late;

	/**
	 * Whether it was told of as one that waits for too long.
	 */
	boolean reported;

	/**
	 * Whether it was told of as one of those that wait for each other. The watchdog's.
	 */
	boolean deadlockReported;

	/**
	 * Why it leaves without a grant, as of when it was told to: what happens between that
	 * and its leave does not count.
	 */
	private @Nullable LockServerException reason;

	/**
	 * Why a hold that it was to get was over before it could use it. Since then it may be
	 * waiting for its own orphaned hold to expire.
	 */
	@Nullable LockServerException missed;

	/**
	 * Create a waiter.
	 * @param owner who will own the grant
	 * @param waitNanos the longest wait, or zero for a single attempt
	 */
	public Waiter(Object owner, LeaseSpec lease, long waitNanos, long nowNanos, Caller caller) {
		this.owner = owner;
		this.lease = lease;
		this.sinceNanos = nowNanos;
		this.waits = waitNanos > 0;
		this.deadlineNanos = nowNanos + waitNanos;
		this.caller = caller;
	}

	void wake() {
		this.caller.wake();
	}

	@Nullable String threadName() {
		return this.caller.threadName();
	}

	/**
	 * Hands it the grant.
	 */
	void complete(Grant granted) {
		this.grant = granted;
		wake();
	}

	/**
	 * Whether it waits at all.
	 */
	public boolean waits() {
		return this.waits;
	}

	/**
	 * Since when it is there.
	 */
	public long sinceNanos() {
		return this.sinceNanos;
	}

	/**
	 * Until when it waits.
	 */
	public long deadlineNanos() {
		return this.deadlineNanos;
	}

	QueueEntry entry() {
		if (this.entry == null) {
			throw new IllegalStateException("It does not wait");
		}
		return this.entry;
	}

	boolean isTimedOut(long nowNanos) {
		return Time.isReached(this.deadlineNanos, nowNanos);
	}

	/**
	 * What its caller has to do next.
	 * @param cancelled whether it does not want to wait any more
	 */
	Step next(boolean cancelled, long nowNanos) {
		QueueEntry present = entry();
		if (present.lock.discarded() != null) {
			return leave(present, nowNanos);
		}
		boolean over = this.grant != null || this.refused || cancelled || isHopeless(present, nowNanos);
		boolean timedOut = isTimedOut(nowNanos);
		boolean asked = this.attempted && present.asking.splits() == 0;
		if (over || (timedOut && asked && !present.mayStillConfirm(this))) {
			return leave(present, nowNanos);
		}
		Step command = present.command(this, nowNanos);
		if (command != null) {
			return command;
		}
		if (timedOut) {
			boolean answerIsNear = present.isUnknown() || present.mayStillConfirm(this);
			if (!answerIsNear || nowNanos - this.deadlineNanos >= GRACE_NANOS) {
				return leave(present, nowNanos);
			}
		}
		long latest = timedOut ? this.deadlineNanos + GRACE_NANOS : this.deadlineNanos;
		long until = Time.earlier(latest, present.commandNanos(this, latest, nowNanos));
		return new Step.Sleep(Math.max(1, until - nowNanos));
	}

	/**
	 * Whether the server failed in a way, or for so long, that it makes no sense to go
	 * on.
	 */
	private boolean isHopeless(QueueEntry present, long nowNanos) {
		if (present.lock.hasOwner(nowNanos)) {
			return false;
		}
		LockServerException failure = present.health.failure();
		boolean atOnce = isTimedOut(nowNanos) || !this.waits;
		boolean failed = (failure != null) ? atOnce || failure.reason() == Reason.REFUSED
				: atOnce && (this.late >= MAX_TRIES || present.asking.splits() >= MAX_TRIES);
		return failed || present.isHopeless(nowNanos);
	}

	private Step leave(QueueEntry present, long nowNanos) {
		this.reason = reason(present, nowNanos);
		return new Step.Leave();
	}

	private @Nullable LockServerException reason(QueueEntry present, long nowNanos) {
		if (this.grant != null || present.lock.hasOwner(nowNanos)) {
			return null;
		}
		String name = present.name();
		Throwable discarded = present.lock.discarded();
		if (discarded != null) {
			return Failures.discarded(name, discarded);
		}
		LockServerException noAnswer = present.noAnswer(nowNanos);
		if (noAnswer != null) {
			return noAnswer;
		}
		if (this.missed != null) {
			return this.missed;
		}
		if (present.asking.splits() > 0) {
			return Failures.split(name);
		}
		if (this.late > 0) {
			return Failures.late(name, this.late);
		}
		return (present.isUnknown() && !this.attempted) ? Failures.noAnswer(name) : null;
	}

	/**
	 * Why it leaves without a grant, or {@code null} if another holds the lock.
	 */
	@Nullable LockServerException reason() {
		return this.reason;
	}

	/**
	 * Who waits behind it: a thread, or whatever completes a future. Its methods return
	 * at once and throw nothing.
	 */
	public interface Caller {

		/**
		 * Has the caller ask for its next step.
		 */
		void wake();

		/**
		 * The name of the thread that waits, if it is one.
		 */
		default @Nullable String threadName() {
			return null;
		}

	}

}
