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

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import io.holdfast.lock.redis.Contender.Departure;
import io.holdfast.lock.redis.LockServer.Sign;
import io.holdfast.lock.redis.LockServer.Wish;
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

	private static final int MAX_LATE = 3;

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
		// Half the range, so that differences between times never overflow.
		long bounded = Math.min(waitNanos, Long.MAX_VALUE / 2);
		this.waiter = new Waiter(owner, lease, waitNanos > 0, locks.now() + bounded);
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
		Grant grant = null;
		try {
			grant = acquire(lock);
		}
		finally {
			// A grant keeps the use of the lock that this call began.
			if (grant == null || grant.count > 1) {
				this.locks.unuse(lock);
			}
			if (this.interrupted) {
				Thread.currentThread().interrupt();
			}
		}
		return grant;
	}

	private @Nullable Grant acquire(LocalLock lock) throws InterruptedException {
		Grant held;
		Contender contender = null;
		synchronized (lock) {
			long now = this.locks.now();
			lock.contenders().forEach((each) -> this.locks.expire(each, now));
			held = lock.grantOf(this.waiter.owner);
			if (held == null) {
				contender = join(lock, now);
				if (contender == null) {
					return null;
				}
			}
			else if (held.loss() == null) {
				held.acquireAgain();
			}
		}
		return (contender != null) ? compete(contender) : reenter(Objects.requireNonNull(held));
	}

	// Reentrancy

	private Grant reenter(Grant held) {
		if (held.loss() != null) {
			throw new LockLostException(Objects.requireNonNull(held.loss()));
		}
		long left = held.deadlineNanos() - this.locks.now();
		boolean explicit = !this.waiter.lease.watched();
		boolean watchBegins = !explicit && !held.watched;
		if (watchBegins || (explicit && left < TimeUnit.MILLISECONDS.toNanos(this.waiter.lease.millis()))) {
			prolong(held);
		}
		return held;
	}

	/**
	 * Renews the hold of an outer acquisition for this inner one, which asks for more.
	 */
	private void prolong(Grant held) {
		Contender contender = held.contender;
		Sign sign;
		synchronized (held.lock) {
			sign = new Sign(held.lock.key, contender.id(), this.waiter.lease.millis(), 0);
		}
		try {
			Standing standing = this.locks.server.renew(List.of(sign)).get(0);
			synchronized (held.lock) {
				// The answer may be older than the end of the lease.
				this.locks.expire(contender, this.locks.now());
				if (contender.grant() == held && standing.state() == Standing.State.HOLDS) {
					contender.renewed(held, standing);
					held.watched |= this.waiter.lease.watched();
					return;
				}
				if (contender.grant() == held) {
					this.locks.lose(contender, Cause.GONE, this.locks.now());
				}
			}
			throw new LockLostException(Objects.requireNonNull(held.loss()));
		}
		catch (LockServerException | LockLostException ex) {
			synchronized (held.lock) {
				held.count--;
			}
			throw ex;
		}
	}

	// Competing

	/**
	 * Puts the waiter into the line.
	 * @return the contender it stands behind, or {@code null} if it does not wait and
	 * others of this client hold the lock or are before it
	 */
	private @Nullable Contender join(LocalLock lock, long nowNanos) {
		if (!this.waiter.waits && (lock.current() != null || lock.shared() != null)) {
			return null;
		}
		Contender contender = (this.type == LockType.FAIR) ? null : lock.shared();
		if (contender == null) {
			contender = new Contender(lock, this.type, this.locks.settings, nowNanos);
			lock.add(contender);
		}
		contender.join(this.waiter);
		return contender;
	}

	private @Nullable Grant compete(Contender contender) throws InterruptedException {
		boolean ended = false;
		try {
			while (true) {
				Step step = step(contender);
				if (step.wish() != null) {
					ask(contender, step.id(), step.wish());
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
					if (!grant.unconfirmed || confirm(contender, grant)) {
						ended = true;
						return usable(grant);
					}
				}
				this.interrupted |= Thread.interrupted();
			}
		}
		finally {
			if (!ended) {
				giveUp(contender);
			}
		}
	}

	private Step step(Contender contender) {
		synchronized (contender.lock) {
			long now = this.locks.now();
			if (this.waiter.grant != null || this.locks.isClosed() || (this.interrupted && this.interruptible)) {
				return Step.END;
			}
			boolean timedOut = now - this.waiter.deadlineNanos >= 0;
			if (this.waiter.refused || hopeless(now) || (timedOut && this.waiter.attempted)) {
				return Step.END;
			}
			if (contender.mayAsk(this.waiter, now)) {
				String id = contender.id();
				return new Step(id, contender.ask(this.waiter, now), 0);
			}
			if (timedOut) {
				return Step.END;
			}
			return new Step("", null,
					Math.min(this.waiter.deadlineNanos - now, contender.sleepNanos(this.waiter, now)));
		}
	}

	/**
	 * Whether the server failed in a way, or for so long, that waiting makes no sense.
	 */
	private boolean hopeless(long nowNanos) {
		LockServerException failure = this.waiter.failure;
		if (failure == null) {
			return isLate();
		}
		return !this.waiter.waits || failure.reason() == Reason.REFUSED
				|| nowNanos - this.waiter.failingSinceNanos >= this.locks.settings.waiterTimeout().toNanos();
	}

	private void ask(Contender contender, String id, Wish wish) {
		boolean taken = false;
		try {
			Standing standing = this.locks.server.acquire(contender.lock.key, id, wish, this.waiter.waits,
					this.waiter.deadlineNanos, this.interruptible);
			synchronized (contender.lock) {
				contender.answered(id, standing, this.waiter, this.locks.now(), this.locks.pollNanos());
			}
			taken = true;
		}
		catch (LockServerException ex) {
			synchronized (contender.lock) {
				contender.unanswered(id, this.waiter, ex, this.locks.now());
			}
			taken = true;
		}
		finally {
			if (!taken) {
				// A StackOverflowError, say: those behind this waiter must go on.
				synchronized (contender.lock) {
					contender.unanswered(id, this.locks.now());
				}
			}
		}
	}

	private Grant usable(Grant grant) {
		if (this.locks.isClosed()) {
			this.release.release(grant);
			throw new LockClientClosedException(grant.lock.name);
		}
		return grant;
	}

	/**
	 * Throws why there is no grant, unless another holds the lock.
	 */
	private void throwReason(String name) throws InterruptedException {
		this.locks.checkOpen(name);
		if (this.interrupted && this.interruptible) {
			this.interrupted = false;
			throw new InterruptedException();
		}
		if (this.waiter.failure != null) {
			throw this.waiter.failure;
		}
		if (isLate()) {
			throw new LockServerException(name, Reason.TIMED_OUT, "Lock '" + name + "': Redis answered "
					+ this.waiter.late + " times more than " + LockServer.REQUEST_VALIDITY_MILLIS + " ms late", null);
		}
	}

	private boolean isLate() {
		return this.waiter.late >= MAX_LATE && !this.waiter.waits;
	}

	/**
	 * Renews a grant that is too old to be used as it came, or fetches its token.
	 * @return whether the owner may use it; if not, the waiter is in the line again
	 */
	private boolean confirm(Contender contender, Grant grant) {
		LockServerException failure = null;
		Standing standing = null;
		Sign sign;
		synchronized (contender.lock) {
			sign = contender.confirmation(grant);
		}
		try {
			standing = this.locks.server.renew(List.of(sign)).get(0);
		}
		catch (LockServerException ex) {
			failure = ex;
		}
		synchronized (contender.lock) {
			long now = this.locks.now();
			if (standing != null && standing.state() == Standing.State.HOLDS) {
				contender.renewed(grant, standing);
			}
			boolean usable = standing == null || standing.state() == Standing.State.HOLDS;
			if (usable && grant.token != 0 && grant.isValid(now)) {
				grant.unconfirmed = false;
				return true;
			}
			this.locks.leftovers.add(sign.key(), sign.id());
			grant.release();
			contender.lock.remove(grant);
			this.waiter.grant = null;
			contender.rejoin(this.waiter, now);
			if (failure != null) {
				contender.unanswered(contender.id(), this.waiter, failure, now);
			}
			return false;
		}
	}

	/**
	 * Leaves the line, and the queue if nobody is behind.
	 * @return whether the waiter has no grant
	 */
	private boolean giveUp(Contender contender) {
		Departure departure;
		synchronized (contender.lock) {
			if (this.waiter.grant != null) {
				return false;
			}
			Contender.Phase phase = contender.phase();
			boolean pending = phase == Contender.Phase.IDLE || phase == Contender.Phase.WAITING;
			if (!contender.leave(this.waiter) || !pending) {
				return true;
			}
			boolean unanswered = contender.isUnsure() || this.locks.isClosed();
			if (phase == Contender.Phase.IDLE || unanswered) {
				contender.lock.remove(contender);
				if (unanswered) {
					this.locks.leftovers.add(contender.lock.key, contender.id());
				}
				return true;
			}
			departure = contender.depart(this.locks.now());
		}
		this.release.withdraw(contender, departure);
		return true;
	}

	/**
	 * What to do next.
	 *
	 * @param id the request to ask for
	 * @param wish what to ask for, or {@code null} not to ask
	 * @param sleepNanos how long to sleep if there is nothing to ask
	 */
	private record Step(String id, @Nullable Wish wish, long sleepNanos) {

		static final Step END = new Step("", null, -1);

		boolean ends() {
			return this.wish == null && this.sleepNanos < 0;
		}

	}

}
