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

import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link QueueEntry} does with its hold: has it confirmed, gives it to one waiter
 * after the other, and loses it. For the phases CONFIRMING and HOLDING. Guarded by the
 * {@link LocalLock}.
 */
final class Holding {

	private final QueueEntry entry;

	private final EngineContext context;

	/**
	 * There is one while the phase is CONFIRMING or HOLDING.
	 */
	private @Nullable Hold hold;

	/**
	 * Whether others began to wait before this client knew that it holds.
	 */
	private boolean awaitedEarly;

	/**
	 * Whether the request was forced away before this client knew that it holds.
	 */
	private boolean forcedEarly;

	Holding(QueueEntry entry, EngineContext context) {
		this.entry = entry;
		this.context = context;
	}

	boolean hasHold() {
		return this.hold != null;
	}

	Hold hold() {
		if (this.hold == null) {
			throw new IllegalStateException("No hold in phase " + this.entry.phase());
		}
		return this.hold;
	}

	/**
	 * The grant of the present owner, if there is one.
	 */
	@Nullable Grant grant() {
		return (this.hold != null) ? this.hold.grant() : null;
	}

	/**
	 * Begins with a new request, which has no hold.
	 */
	void restart() {
		this.awaitedEarly = false;
		this.forcedEarly = false;
		this.hold = null;
		this.entry.lock.noLongerHolder(this.entry);
	}

	/**
	 * Takes in that the request holds the lock.
	 * @return whether it does; not if its token is smaller than that of another request
	 * of this client, which a master that has lost that one and whose clock is behind may
	 * give
	 */
	boolean begin(Hold begun, long nowNanos) {
		if (!this.entry.lock.supersedes(this.entry, begun.firstToken(), nowNanos)) {
			this.entry.leaving.pend(begun.deadlineNanos());
			this.entry.restart(nowNanos);
			this.entry.waiters.dueAt(nowNanos + QueueEntry.RETRY_NANOS);
			return false;
		}
		this.hold = begun;
		if (this.awaitedEarly) {
			begun.awaited(nowNanos);
		}
		this.entry.phase(Phase.CONFIRMING);
		this.entry.lock.holder(this.entry);
		if (this.forcedEarly) {
			lose(Cause.FORCED, nowNanos);
			return true;
		}
		if (this.entry.asking.takeMissedMessages()) {
			missedMessages(nowNanos);
		}
		give(nowNanos);
		return true;
	}

	/**
	 * Gives the hold to the first waiter if it can be used, or has it confirmed first.
	 */
	private void give(long nowNanos) {
		Waiter next = this.entry.waiters.first();
		if (next == null) {
			return;
		}
		this.entry.phase(Phase.CONFIRMING);
		if (hold().isUsable(next, nowNanos)) {
			grant(next, nowNanos);
		}
		else {
			confirmAt(nowNanos);
		}
	}

	private void confirmAt(long nanos) {
		this.entry.waiters.dueAt(nanos);
		this.entry.waiters.wakeFirst();
	}

	private void grant(Waiter next, long nowNanos) {
		Grant granted = hold().grantTo(next, this.entry, nowNanos);
		this.entry.waiters.takeFirst();
		this.entry.phase(Phase.HOLDING);
		next.complete(granted);
		this.entry.lock.noteContention(this.entry);
		this.entry.upkeep.reschedule(nowNanos);
	}

	// Confirming

	Renewal confirm(Waiter waiter, long nowNanos) {
		Renewal renewal = new Renewal(this.entry.lock.key(), this.entry.id(), waiter.lease.millis(),
				hold().hasToken() ? 0 : Asking.TOKEN_BLOCK);
		this.entry.begin(nowNanos);
		waiter.attempted = true;
		hold().tries();
		return renewal;
	}

	/**
	 * Takes in what came of the confirmation of the hold.
	 */
	void confirmed(Renewal sent, Outcome<LockReply> confirmation, long nowNanos) {
		this.entry.waiters.end();
		if (this.entry.phase() != Phase.CONFIRMING || !this.entry.id().equals(sent.id())) {
			return;
		}
		LockReply reply = confirmation.value();
		LockServerException failed = confirmation.failure();
		if (failed == null && reply != null && reply.state() == State.UNKNOWN) {
			failed = Failures.tooFewToRenew(this.entry.name());
		}
		if (failed == null) {
			this.entry.health.answered();
		}
		else {
			this.entry.health.failed(failed, reply == null);
		}
		if (reply != null && reply.state() == State.HOLDS) {
			renewed(reply);
			hold().takeTokens(reply, nowNanos);
			use(true, nowNanos);
		}
		else if (reply != null && reply.state() != State.UNKNOWN) {
			missed(nowNanos);
		}
		else {
			this.entry.upkeep.dueAt(nowNanos);
			use(false, nowNanos);
		}
	}

	private void renewed(LockReply reply) {
		this.entry.learned(reply);
		this.entry.upkeep.next(reply.sentNanos(), reply.leftMillis());
		hold().renewed(reply);
	}

	/**
	 * Uses the hold if that is right after a confirmation.
	 * @param confirmed whether the server has said that all is well; if not, a watched
	 * hold is used only while it is still valid
	 */
	private void use(boolean confirmed, long nowNanos) {
		Waiter next = this.entry.waiters.first();
		if (next != null && hold().isConfirmed(nowNanos) && (confirmed || next.lease.watched())) {
			grant(next, nowNanos);
		}
		else if (hold().isOver(nowNanos)) {
			missed(nowNanos);
		}
		else {
			this.entry.waiters.dueAt(nowNanos + QueueEntry.RETRY_NANOS);
		}
	}

	/**
	 * Takes in that the hold was over before its owner could use it, which is tried
	 * again. Nobody else need have the lock, so if the wait ends now "false" would be
	 * wrong.
	 */
	private void missed(long nowNanos) {
		this.entry.leaving.pend(hold().deadlineNanos());
		Waiter first = this.entry.waiters.first();
		if (first != null) {
			LockServerException failure = this.entry.health.failure();
			first.missed = (failure != null) ? failure : Failures.overBeforeUse(this.entry.name());
			first.attempted = false;
			first.late++;
		}
		this.entry.restart(nowNanos);
	}

	// Passing on

	/**
	 * Gives back the grant of an owner: passes the hold to the next one without asking
	 * the server, if that is safe, and fair to the clients that wait for it.
	 * @return what to send, or {@code null} if it was passed
	 */
	@Nullable ReleaseCommand release(Grant from, long nowNanos) {
		if (!this.context.closed && pass(from, nowNanos)) {
			return null;
		}
		ReleaseCommand command = this.entry.leaving.depart(from.token(), nowNanos);
		from.release();
		return command;
	}

	private boolean pass(Grant from, long nowNanos) {
		Waiter next = this.entry.waiters.first();
		if (next == null || this.context.isPinned(this.entry.id()) || !hold().tryPass(from, next, nowNanos)) {
			return false;
		}
		hold().endGrant();
		from.release();
		give(nowNanos);
		return true;
	}

	// Messages

	/**
	 * Takes in that another client has begun to wait.
	 */
	void awaited(long nowNanos) {
		if (this.hold != null) {
			this.hold.awaited(nowNanos);
		}
		else {
			this.awaitedEarly = true;
		}
	}

	/**
	 * Takes in that a message about the end of the hold may have been lost.
	 */
	void missedMessages(long nowNanos) {
		hold().missedMessages();
		this.entry.upkeep.dueAt(nowNanos);
		this.entry.upkeep.reschedule(nowNanos);
	}

	// Renewals

	/**
	 * Takes in that the server has told of a hold of its request in answer to a renewal.
	 */
	void prolonged(Grant granted, LockReply reply) {
		renewed(reply);
		granted.extend(Time.deadline(reply.sentNanos(), reply.leftMillis()));
		if (reply.awaited()) {
			awaited(reply.sentNanos());
		}
	}

	// The end

	/**
	 * Loses the grant if its deadline has passed.
	 */
	void expire(long nowNanos) {
		Grant owned = grant();
		if (owned != null && owned.isOver(nowNanos)) {
			lose(Cause.EXPIRED, nowNanos);
		}
	}

	/**
	 * Ends the hold before its owner released it, and lets the next waiter try.
	 */
	void lose(Cause cause, long nowNanos) {
		if (this.hold == null) {
			this.forcedEarly |= cause == Cause.FORCED;
			return;
		}
		Grant owned = this.hold.grant();
		if (owned == null) {
			missed(nowNanos);
			return;
		}
		boolean mayLast = cause == Cause.EXPIRED && (owned.isWatched() || this.hold.mayOutlast(owned));
		if (mayLast || cause == Cause.FORCED) {
			// What is left of the hold in Redis, if anything, need not be waited for. A
			// question that ran twice may have got a second one after a forced release.
			this.entry.leaving.pend(nowNanos);
		}
		this.context.lose(owned, cause, nowNanos);
		this.entry.restart(nowNanos);
	}

	/**
	 * Ends the hold if another request of this client got the lock later; if not, asks
	 * the server which of them is over.
	 * @return whether it was later
	 */
	boolean yieldsTo(long token, long nowNanos) {
		boolean later = hold().firstToken() < token;
		if (later) {
			expire(nowNanos);
			lose(Cause.GONE, nowNanos);
		}
		else {
			missedMessages(nowNanos);
		}
		return later;
	}

}
