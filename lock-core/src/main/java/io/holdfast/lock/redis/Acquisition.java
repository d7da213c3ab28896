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

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.LockException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.Confirmation;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * One call that wants a lock, from the first attempt to the grant, on the thread of its
 * caller. Not reusable.
 */
final class Acquisition {

	/*
	 * Repeatedly, until there is a grant or a reason to give up: ask the server if it is
	 * this waiter's turn to, else sleep until it is, the wait ends, or somebody wakes it
	 * with a grant. Failures of the server that pass with time do not end a wait, but
	 * when it ends they are what is thrown: "false" would claim that another holds the
	 * lock.
	 */

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/**
	 * How long a wait that is over goes on where "false" would be wrong: the question of
	 * the thread before it is the first one, and on its way; or nobody has the lock, as
	 * the votes of a quorum were split.
	 */
	private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private final Locks locks;

	private final Release release;

	private final LockType type;

	private final Waiter waiter;

	private final boolean interruptible;

	private boolean interrupted;

	/**
	 * Prepare the call.
	 * @param owner who will own the grant
	 * @param waitNanos longest wait, or zero for a single attempt
	 * @param interruptible whether an interrupt ends the wait
	 */
	Acquisition(Locks locks, LockType type, Object owner, LeaseSpec lease, long waitNanos, boolean interruptible) {
		this.locks = locks;
		this.release = new Release(locks);
		this.type = type;
		this.waiter = new Waiter(owner, lease, waitNanos > 0, locks.now() + waitNanos);
		this.interruptible = interruptible;
	}

	/**
	 * Acquires the lock.
	 * @return the grant, or {@code null} if another kept the lock
	 */
	@Nullable Grant acquire(String name) throws InterruptedException {
		String key = this.locks.settings.keys().lock(name);
		this.locks.checkOpen(name);
		if (this.interruptible && Thread.interrupted()) {
			throw new InterruptedException();
		}
		LocalLock lock = this.locks.use(name, key);
		try {
			return acquire(lock);
		}
		finally {
			// A grant keeps the use of the lock that this call began.
			if (this.waiter.grant == null) {
				this.locks.unuse(lock);
			}
			if (this.interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private @Nullable Grant acquire(LocalLock lock) throws InterruptedException {
		Grant held;
		Contender contender = null;
		synchronized (lock) {
			long now = this.locks.now();
			lock.grants().forEach((each) -> this.locks.expire(each.contender, now));
			held = lock.grantOf(this.waiter.owner);
			if (held == null) {
				contender = join(lock, now);
			}
			else {
				Reentry.throwIfLost(held);
				held.acquireAgain();
			}
		}
		if (held != null) {
			return new Reentry(this.locks, this.waiter.lease).enter(held);
		}
		if (contender != null) {
			return compete(contender);
		}
		if (this.waiter.failure != null) {
			throw this.waiter.failure;
		}
		return null;
	}

	/**
	 * Puts the waiter into the line.
	 * @return the contender it stands behind, or {@code null} if it does not wait and
	 * others of this client hold the lock or are before it
	 */
	private @Nullable Contender join(LocalLock lock, long nowNanos) {
		Contender shared = lock.shared();
		Grant current = lock.current();
		boolean unknown = shared != null && shared.isUnknown();
		if (!this.waiter.waits && (current != null || (shared != null && !unknown))) {
			Contender other = (current != null) ? current.contender : shared;
			this.waiter.failure = (other != null) ? other.failure() : null;
			return null;
		}
		boolean alone = this.type == LockType.FAIR || (unknown && !this.waiter.waits);
		Contender contender = alone ? null : shared;
		if (contender == null) {
			contender = new Contender(lock, this.type, alone, this.locks.settings, this.locks.leftovers, nowNanos);
			lock.add(contender);
		}
		contender.line().join(this.waiter);
		return contender;
	}

	private @Nullable Grant compete(Contender joined) throws InterruptedException {
		Contender contender = joined;
		boolean ended = false;
		try {
			while (true) {
				Step step = step(contender);
				if (step.question() != null) {
					ask(contender, step.question());
				}
				else if (!step.ends()) {
					LockSupport.parkNanos(contender.lock, step.sleepNanos());
				}
				else if (giveUp(contender)) {
					ended = true;
					throwReason(contender.lock.name);
					return null;
				}
				else {
					Grant grant = Objects.requireNonNull(this.waiter.grant);
					contender = grant.contender;
					this.locks.checkOpen(contender.lock.name);
					if (!grant.unconfirmed || confirm(contender, grant)) {
						ended = true;
						return grant;
					}
					if (this.waiter.grant == grant) {
						pause(contender);
					}
				}
				this.interrupted |= Thread.interrupted();
			}
		}
		finally {
			if (!ended && !giveUp(contender)) {
				giveBack(Objects.requireNonNull(this.waiter.grant));
			}
		}
	}

	/**
	 * Gives a grant back that its owner never gets.
	 */
	private void giveBack(Grant grant) {
		try {
			grant.unconfirmed = false;
			this.release.release(grant);
		}
		catch (LockException ex) {
			// Lost, or released by Leftovers.
		}
	}

	private Step step(Contender contender) {
		synchronized (contender.lock) {
			long now = this.locks.now();
			boolean over = this.waiter.grant != null || this.locks.isClosed() || this.waiter.refused || isInterrupted()
					|| isHopeless(now);
			boolean timedOut = this.waiter.isTimedOut(now);
			if (over || (timedOut && this.waiter.attempted)) {
				return Step.END;
			}
			if (contender.mayAsk(this.waiter, now)) {
				return new Step(contender.ask(this.waiter, now), 0);
			}
			if (timedOut) {
				boolean answerIsNear = (contender.isUnknown() || this.waiter.split)
						&& now - this.waiter.deadlineNanos < GRACE_NANOS;
				return answerIsNear ? new Step(null, LOOK_NANOS) : Step.END;
			}
			return new Step(null, Math.min(this.waiter.deadlineNanos - now, contender.sleepNanos(this.waiter, now)));
		}
	}

	private boolean isInterrupted() {
		return this.interrupted && this.interruptible;
	}

	private boolean isHopeless(long nowNanos) {
		return this.waiter.isHopeless(nowNanos, this.locks.settings.waiterTimeout());
	}

	private void ask(Contender contender, AcquireCommand question) {
		try {
			LockReply standing = this.locks.server.acquire(contender.lock.key, question, this.waiter.waits,
					this.waiter.deadlineNanos, this.interruptible);
			synchronized (contender.lock) {
				contender.answered(question, standing, this.waiter, this.locks.now(), this.locks.pollNanos());
			}
		}
		catch (LockServerException ex) {
			synchronized (contender.lock) {
				contender.unanswered(question, this.waiter, ex, this.locks.now());
			}
		}
	}

	/**
	 * Throws why there is no grant, unless another holds the lock.
	 */
	private void throwReason(String name) throws InterruptedException {
		this.locks.checkOpen(name);
		if (isInterrupted()) {
			this.interrupted = false;
			throw new InterruptedException();
		}
		LockServerException reason = this.waiter.reason(name);
		if (reason != null) {
			throw reason;
		}
	}

	/**
	 * Renews a grant that may not be used as it came: it is too old, has no token, or is
	 * not known to the replicas.
	 * @return whether the owner may use it; if not, either it is to be confirmed once
	 * more, or the waiter is in the line again
	 */
	private boolean confirm(Contender contender, Grant grant) {
		Renewal sign;
		synchronized (contender.lock) {
			sign = contender.confirmation(grant);
		}
		Confirmation confirmation;
		try {
			confirmation = this.locks.server.confirm(sign, this.interruptible);
		}
		catch (LockServerException ex) {
			confirmation = new Confirmation(null, ex);
		}
		ReleaseCommand departure;
		synchronized (contender.lock) {
			long now = this.locks.now();
			if (contender.confirmed(grant, confirmation, now)) {
				return true;
			}
			LockServerException failure = confirmation.failure();
			this.waiter.failed((failure != null) ? failure : overBeforeUse(contender.lock.name), now);
			if (failure != null && grant.isValid(now)) {
				return false;
			}
			departure = dismiss(contender, grant, confirmation.reply() == null, now);
		}
		if (departure != null) {
			this.release.withdraw(contender, departure);
		}
		return false;
	}

	/**
	 * Ends a grant that its owner cannot use, and puts the waiter into the line again if
	 * it has time left. It would wait behind its own hold, if there is one.
	 * @param silent whether the server does not answer
	 * @return what to tell the server, if it answers
	 */
	private @Nullable ReleaseCommand dismiss(Contender contender, Grant grant, boolean silent, long now) {
		grant.release();
		contender.lock.remove(grant);
		this.waiter.grant = null;
		this.waiter.dismissed = this.waiter.failure;
		if (!isHopeless(now)) {
			contender.line().rejoin(this.waiter);
		}
		if (!silent) {
			return contender.depart(0, now);
		}
		this.locks.leftovers.add(contender.lock.key, contender.ids(), grant.deadlineNanos());
		contender.restart(now);
		return null;
	}

	/**
	 * Waits before a grant is confirmed once more, if there is time for that.
	 */
	private void pause(Contender contender) throws InterruptedException {
		this.interrupted |= Thread.interrupted();
		boolean over;
		synchronized (contender.lock) {
			long now = this.locks.now();
			over = isInterrupted() || isHopeless(now);
		}
		if (over) {
			throwReason(contender.lock.name);
		}
		LockSupport.parkNanos(contender.lock, RETRY_NANOS);
	}

	/**
	 * Nobody else need have the lock, so if the wait ends now "false" would be wrong.
	 */
	private static LockServerException overBeforeUse(String name) {
		return new LockServerException(name, Reason.TIMED_OUT,
				"Lock '" + name + "' was granted, but its lease was over before this was known", null);
	}

	private static LockServerException noAnswer(String name) {
		return new LockServerException(name, Reason.TIMED_OUT,
				"Lock '" + name + "': Redis has not answered the thread that asked first", null);
	}

	/**
	 * Leaves the line, and the queue if nobody is behind.
	 * @return whether the waiter has no grant
	 */
	private boolean giveUp(Contender contender) {
		ReleaseCommand departure;
		synchronized (contender.lock) {
			if (this.waiter.grant != null) {
				return false;
			}
			if (!this.waiter.attempted && this.waiter.failure == null) {
				// Whoever asked for it got no answer.
				this.waiter.failure = contender.isUnknown() ? noAnswer(contender.lock.name) : contender.failure();
			}
			contender.line().leave(this.waiter);
			if (!contender.line().isEmpty() || !contender.isPending()) {
				return true;
			}
			long now = this.locks.now();
			boolean failed = contender.failure() != null || this.waiter.failure != null;
			if (!contender.stands() || (failed && contender.isDoubtful())) {
				contender.restart(now);
				return true;
			}
			departure = contender.depart(0, now);
		}
		this.release.withdraw(contender, departure);
		return true;
	}

	/**
	 * What to do next.
	 *
	 * @param question what to ask the server, or {@code null} for nothing
	 * @param sleepNanos how long to sleep if there is nothing to ask
	 */
	private record Step(@Nullable AcquireCommand question, long sleepNanos) {

		static final Step END = new Step(null, -1);

		boolean ends() {
			return this.question == null && this.sleepNanos < 0;
		}

	}

}
