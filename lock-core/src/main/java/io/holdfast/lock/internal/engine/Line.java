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

import java.util.List;

import io.holdfast.lock.LockMode.Kind;
import io.holdfast.lock.internal.protocol.Wish;
import org.jspecify.annotations.Nullable;

/**
 * Callers of one lock who share requests, in their order. A fair caller, one with a lease
 * of its own, and one that does not wait behind too many is alone in its line. Guarded by
 * the monitor of the lock.
 */
final class Line {

	/**
	 * After so many requests that came to nothing callers are told, and pauses are made.
	 */
	static final int TRIES = 3;

	final Claims claims;

	final Context context;

	final Wish wish;

	final long leaseMillis;

	final boolean watched;

	/** One, or several if they are shared or permits. */
	List<Hold> held = List.of();

	/** The request that is to get the lock for the first waiter. */
	@Nullable Request asking;

	/** How many requests in a row came to nothing, without a word that counts. */
	int tries;

	private List<Waiter> waiters = List.of();

	Line(Claims claims, Wish wish, long leaseMillis, boolean watched) {
		this.claims = claims;
		this.context = claims.state.context;
		this.wish = wish;
		this.leaseMillis = leaseMillis;
		this.watched = watched;
	}

	/**
	 * Whether several callers may stand in it.
	 */
	static boolean isShareable(Wish wish, boolean watched) {
		return watched && !wish.fair() && wish.maxWaiters() == 0;
	}

	/**
	 * How many fencing tokens to ask for: as few as can be, which servers do fastest, if
	 * no more callers wait than so many.
	 */
	int block(int few) {
		boolean passedOn = isShareable(this.wish, this.watched) && !this.wish.isShared();
		return (passedOn && this.waiters.size() > few) ? this.context.settings.handOvers() + 1 : few;
	}

	void add(Waiter waiter) {
		waiter.line = this;
		this.waiters = Few.plus(this.waiters, waiter);
		this.claims.waiting++;
		if (waiter.timed) {
			this.context.timers().set(waiter, waiter.deadlineNanos);
		}
	}

	List<Waiter> waiters() {
		return List.copyOf(this.waiters);
	}

	boolean hasWaiters() {
		return !this.waiters.isEmpty();
	}

	/**
	 * How many wait that have time left.
	 */
	int callers(long now) {
		return (int) this.waiters.stream().filter((waiter) -> !waiter.isTimeUp(now)).count();
	}

	/**
	 * How many are known to wait: behind an owner of this client, or in the queue of the
	 * server.
	 */
	int queued(long now) {
		return (this.asking == null || this.asking.isQueued()) ? callers(now) : 0;
	}

	/**
	 * Decides who is next, and what is to be done for that. Nothing else does.
	 */
	void settle(long now, Effects out) {
		grant(now, out);
		end(now, out);
		ask(now, out);
	}

	/**
	 * Settles it where only an owner has gone: no wait is over for that, so it is fast
	 * however many wait.
	 */
	void passOn(long now, Effects out) {
		grant(now, out);
		ask(now, out);
	}

	private void ask(long now, Effects out) {
		for (Hold hold : List.copyOf(this.held)) {
			if (hold.grants.isEmpty()) {
				boolean asks = hasWaiters() && this.asking == null && this.context.settings.queues();
				this.claims.giveUp(hold.request, asks ? ask(Verdict.Simple.UNKNOWN, now) : null, now, out);
			}
		}
		if (hasWaiters()) {
			if (this.asking == null && (this.held.isEmpty() || this.wish.kind() != Kind.EXCLUSIVE)) {
				ask(Verdict.Simple.UNKNOWN, now);
			}
			if (this.asking != null) {
				this.asking.askIfDue(now, out);
			}
		}
		else if (this.asking != null && !this.asking.traffic.isUnderWay()) {
			this.claims.giveUp(this.asking, null, now, out);
		}
		if (!hasWaiters() && this.asking == null && this.held.isEmpty()) {
			this.claims.lines = Few.minus(this.claims.lines, this);
		}
	}

	private void grant(long now, Effects out) {
		for (Hold hold : this.held) {
			while (hasWaiters() && hold.mayTake(now, this.context)) {
				Waiter waiter = this.waiters.get(0);
				Grant grant = this.claims.owners.grant(hold, waiter, now);
				waiter.end(new Verdict.Granted(grant), out);
				remove(waiter);
				if (waiter.maxHoldNanos > 0) {
					this.context.timers().set(waiter, now + waiter.maxHoldNanos);
				}
			}
			hold.fresh = false;
		}
	}

	/**
	 * Makes the request that is to get the lock.
	 * @param due when to send it
	 */
	Request ask(Verdict word, long due) {
		Request request = new Request(this, this.context.ids.get(), due);
		request.word = word;
		this.asking = request;
		this.claims.add(request);
		return request;
	}

	/**
	 * Ends the waits that are over.
	 */
	private void end(long now, Effects out) {
		List<Waiter> over = List.of();
		for (Waiter waiter : this.waiters) {
			Verdict verdict = verdict(waiter, now);
			if (verdict.endsAll() || (waiter.isTimeUp(now) && verdict != Verdict.Simple.UNKNOWN)) {
				waiter.end(verdict, out);
				over = Few.plus(over, waiter);
			}
		}
		over.forEach(this::remove);
	}

	/**
	 * What a waiter would be told now.
	 */
	private Verdict verdict(Waiter waiter, long now) {
		if (this.context.isClosed()) {
			return Verdict.Simple.CLOSED;
		}
		Request request = this.asking;
		if (request != null && request.word instanceof Verdict.Full) {
			return request.word;
		}
		if (this.claims.exclude(this.wish, now)) {
			return Verdict.Simple.OTHER;
		}
		if (request == null) {
			return Verdict.Simple.UNKNOWN;
		}
		if (request.word instanceof Verdict.Failed failed && failed.failure() != null) {
			return new Verdict.Failed(failed.failure(), false,
					failed.endsAll() || this.claims.silence.isLongerThan(this.context.settings.waiterNanos(), now));
		}
		if (request.word == Verdict.Simple.OTHER && (request.isQueued() || request.heard - waiter.sinceNanos >= 0)) {
			return Verdict.Simple.OTHER;
		}
		return (this.tries < TRIES) ? Verdict.Simple.UNKNOWN
				: new Verdict.Failed(null, request.word instanceof Verdict.Failed, false);
	}

	void endAll(Verdict verdict, Effects out) {
		for (Waiter waiter : waiters()) {
			waiter.end(verdict, out);
			remove(waiter);
		}
	}

	private void remove(Waiter waiter) {
		this.waiters = Few.minus(this.waiters, waiter);
		this.claims.waiting--;
	}

}
