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
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockObserver.Acquisition;
import io.holdfast.lock.LockObserver.Attempt;
import io.holdfast.lock.LockObserver.Failure;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.engine.Effects;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.engine.Verdict;
import io.holdfast.lock.internal.engine.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * One call that wants a lock, and what this room has to know of the grant that comes of
 * it. The engine wakes it when it has its outcome.
 */
abstract class Call extends Waiter {

	/*
	 * Why an observer is told of a loss once, and after it was told of the grant. The
	 * caller tells of the grant, and then puts the observer here; who tells of the loss
	 * takes it from here. Both do so under the monitor of this. If the loss comes first
	 * it finds nobody, and leaves a mark, which the caller finds and has the loss told
	 * itself. A grant that never reaches its owner has no observer: that one is told of
	 * the failure instead.
	 */

	final LockRuntime runtime;

	final Want want;

	/**
	 * Who is to be told what comes of it: nobody before it begins, and once it is told.
	 */
	private Attempt attempt = Attempt.UNOBSERVED;

	/** Whether its first question has brought nothing. */
	volatile boolean waited;

	/**
	 * Who is told of the end of its grant, once it has one. Guarded by this, as the
	 * others.
	 */
	private @Nullable Attempt owned;

	private boolean lossUntold;

	private @Nullable LockLoss loss;

	/** What is to be done about a loss if a thread owns it; a handle keeps its own. */
	final LossActions actions = new LossActions();

	/** Where the caller asks for it, if somebody wants to know. */
	final @Nullable Throwable origin;

	/**
	 * Prepare the call.
	 * @param owner who will own the grant: a thread, or a weak reference to a handle
	 */
	Call(LockRuntime runtime, Want want, Object owner) {
		super(owner, want.wish(), runtime.settings.leaseMillis(want.lease()), want.isWatched(), runtime.now(),
				want.waitNanos(), want.maxHoldNanos());
		this.runtime = runtime;
		this.want = want;
		this.origin = runtime.lookLog.wantsOrigins() ? new Throwable("The lock was acquired here") : null;
	}

	static Call of(Grant grant) {
		return (Call) grant.waiter();
	}

	/** Tells observers that the lock is wanted. */
	final void begin() {
		this.attempt = this.runtime.observers.wanted(this.want.name(), this.want.declaredName(), wish().fair(),
				wish().mode());
	}

	final Effects enter() {
		return this.runtime.table.want(this.want.name(), this, this.runtime.now());
	}

	/**
	 * The wait is over for its caller.
	 */
	final Effects timeUp(boolean cancelled) {
		LockState state = this.runtime.table.find(this.want.name());
		return (state != null) ? this.runtime.performer.on(state, (now) -> state.timeUp(this, cancelled, now))
				: new Effects();
	}

	/**
	 * Notes that its owner has the lock. If that fails, the lock is released.
	 */
	final Grant acquired(Grant grant) {
		try {
			Attempt told = takeAttempt();
			Acquisition asked = this.waited ? Acquisition.WAITED : Acquisition.FIRST_ATTEMPT;
			told.acquired(grant.wasPassedOn() ? Acquisition.PASSED_ON : asked, grant.sinceNanos() - sinceNanos());
			if (observe(told)) {
				this.runtime.observers.lost(lossOf(grant), told);
			}
			return grant;
		}
		catch (Throwable ex) {
			this.runtime.releaser.releaseQuietly(grant, wish().isShared());
			throw ex;
		}
	}

	private synchronized boolean observe(Attempt told) {
		this.owned = told;
		return this.lossUntold;
	}

	/**
	 * Who is to be told that the grant is lost; {@code null} if its owner does not have
	 * it yet: then that is told later.
	 */
	final synchronized @Nullable Attempt observerOfLoss() {
		this.lossUntold = this.owned == null;
		return this.owned;
	}

	/**
	 * Who is told what becomes of the grant.
	 */
	final synchronized Attempt owned() {
		return Objects.requireNonNullElse(this.owned, Attempt.UNOBSERVED);
	}

	/**
	 * What the owner of a grant is told that was lost.
	 */
	final synchronized LockLoss lossOf(Grant grant) {
		if (this.loss == null) {
			Cause cause = Objects.requireNonNullElse(grant.loss(), Cause.GONE);
			long now = this.runtime.now();
			long lostNanos = (cause == Cause.EXPIRED) ? grant.untilNanos() : now;
			Instant at = Instant.now().minusMillis(TimeUnit.NANOSECONDS.toMillis(now - lostNanos));
			Duration held = Duration.ofNanos(Math.max(lostNanos - grant.sinceNanos(), 0));
			this.loss = new LockLoss(grant.name(), wish().fair(), grant.token(), at, cause, held);
		}
		return this.loss;
	}

	/**
	 * What the caller is told who does not get the lock, or {@code null} if another has
	 * it. Observers are told why, unless that is {@link Failure#ERROR}.
	 */
	final @Nullable RuntimeException refusal(Verdict verdict, boolean interrupted) {
		if (verdict == Verdict.Simple.CLOSED || verdict instanceof Verdict.Granted) {
			tellFailed(Failure.CLOSED, null);
			return new LockClientClosedException(this.want.name());
		}
		if (verdict instanceof Verdict.Lost lost) {
			return new LockLostException(of(lost.grant()).lossOf(lost.grant()));
		}
		if (verdict == Verdict.Simple.UPGRADE) {
			return this.runtime.errors.upgrade(this.want);
		}
		if (verdict instanceof Verdict.Full full) {
			tellFailed(Failure.FULL, null);
			return this.runtime.errors.full(this.want, full.waiting());
		}
		if (interrupted) {
			tellFailed(Failure.INTERRUPTED, null);
			return null;
		}
		if (verdict instanceof Verdict.Failed failed) {
			RuntimeException failure = this.runtime.errors.failureOf(this.want.name(), failed);
			if (failure instanceof LockServerException ex) {
				tellFailed(Failure.SERVER, ex);
				return this.runtime.errors.notAcquired(this.want, ex, sinceNanos());
			}
			return failure;
		}
		if (verdict != Verdict.Simple.OTHER) {
			throw new IllegalStateException("Unexpected verdict: " + verdict);
		}
		tellFailed((this.want.waitNanos() > 0) ? Failure.TIMED_OUT : Failure.REFUSED, null);
		return null;
	}

	/** Tells why it has no grant, unless the outcome was told already. */
	final void tellFailed(Failure why, @Nullable LockServerException reason) {
		Attempt told = takeAttempt();
		if (told != Attempt.UNOBSERVED) {
			told.failed(why, this.runtime.now() - sinceNanos(), reason);
		}
	}

	private Attempt takeAttempt() {
		Attempt told = this.attempt;
		this.attempt = Attempt.UNOBSERVED;
		return told;
	}

}
