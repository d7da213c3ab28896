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

import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.Renewal;

/**
 * What time demands of one entry: that its hold or its place is renewed, and that its
 * grant ends with its deadline. Guarded by the {@link LocalLock}.
 */
final class Upkeep {

	static final long NOT_SCHEDULED = Long.MAX_VALUE;

	/**
	 * When the watchdog looks next. Guarded by the {@link Schedule}.
	 */
	long tick = NOT_SCHEDULED;

	private final QueueEntry entry;

	private final EngineSettings settings;

	private final Schedule schedule;

	/**
	 * When the next renewal may be sent; while one is on its way, when that is overdue.
	 */
	private long dueNanos;

	/**
	 * Whether a renewal that was sent has no answer yet.
	 */
	private boolean unanswered;

	/**
	 * When the first renewal without an answer was due.
	 */
	private long unansweredNanos;

	Upkeep(QueueEntry entry, EngineContext context) {
		this.entry = entry;
		this.settings = context.settings;
		this.schedule = context.schedule;
	}

	QueueEntry entry() {
		return this.entry;
	}

	// When to renew

	/**
	 * Schedules the next renewal after a third of the lease just granted, or a little
	 * earlier: those that fall due at about the same time are sent together.
	 */
	void next(long fromNanos, long lastsMillis) {
		long third = fromNanos + Time.nanos(lastsMillis) / 3;
		this.unanswered = false;
		this.dueNanos = this.schedule.floor(third, this.settings.lookNanos() / 2);
	}

	void dueAt(long nanos) {
		this.dueNanos = nanos;
	}

	private boolean wantsRenewals() {
		Grant grant = this.entry.holding.grant();
		return (grant != null) ? grant.isWatched() || this.entry.holding.hold().isUnheard()
				: this.entry.phase() == Phase.WAITING;
	}

	/**
	 * How long ago a renewal of the hold fell due; zero if none is overdue. Zero while it
	 * only waits: late renewals then cost the place, not a lock.
	 */
	long lagNanos(long nowNanos) {
		long since = this.unanswered ? this.unansweredNanos : this.dueNanos;
		return (this.entry.holding.hasHold() && wantsRenewals()) ? Math.max(0, nowNanos - since) : 0;
	}

	/**
	 * Whether the renewal is overdue by at least the remaining lease; with the default
	 * schedule two thirds of the lease have then passed.
	 */
	boolean isLate(long nowNanos) {
		Grant grant = this.entry.holding.grant();
		return grant != null && grant.isWatched() && lagNanos(nowNanos) >= grant.deadlineNanos() - nowNanos;
	}

	// Looking

	/**
	 * Does what is due.
	 */
	void look(Look look, long nowNanos) {
		this.entry.holding.expire(nowNanos);
		Grant grant = this.entry.holding.grant();
		if (grant != null && grant.isWatched() && grant.isOrphaned()) {
			grant.watch(false);
			look.add(grant);
		}
		this.entry.leaving.endOverdue(nowNanos);
		if (this.entry.isHopeless(nowNanos)) {
			this.entry.waiters.wakeAll();
		}
		boolean due = wantsRenewals() && Time.isReached(this.dueNanos, nowNanos);
		look.add(this.entry, due ? renew(nowNanos) : null);
		reschedule(nowNanos);
	}

	private Renewal renew(long nowNanos) {
		if (!this.unanswered) {
			this.unanswered = true;
			this.unansweredNanos = this.dueNanos;
		}
		this.dueNanos = nowNanos + this.settings.minLeftNanos();
		this.entry.health.asked(nowNanos);
		Grant owned = this.entry.holding.grant();
		long ownedMillis = (owned != null && owned.wasPassedOn())
				? Math.max(1, TimeUnit.NANOSECONDS.toMillis(nowNanos - owned.sinceNanos())) : 0;
		return new Renewal(this.entry.lock.key(), this.entry.id(), leaseMillis(), 0, ownedMillis);
	}

	private long leaseMillis() {
		Grant grant = this.entry.holding.grant();
		if (grant != null) {
			return grant.isWatched() ? this.settings.watchdogTimeout().toMillis() : Renewal.ONLY_ASKS;
		}
		// A watched waiter that turns out to hold gets a first lease, as by a message.
		Waiter first = this.entry.waiters.first();
		return (first != null && first.lease.watched()) ? this.settings.handOverLeaseMillis() : Renewal.ONLY_ASKS;
	}

	/**
	 * Has the watchdog look when it has to. Costs next to nothing if a look is scheduled
	 * for an earlier time: that one schedules the next.
	 */
	void reschedule(long nowNanos) {
		Grant grant = this.entry.holding.grant();
		long never = nowNanos + Schedule.HORIZON_NANOS;
		long at = (grant != null) ? Time.earlier(never, grant.deadlineNanos()) : never;
		if (!this.entry.waiters.isEmpty()) {
			// Messages may not arrive, or it may last too long.
			at = Time.earlier(at, nowNanos + this.settings.lookNanos());
		}
		if (wantsRenewals()) {
			at = Time.earlier(at, this.dueNanos);
		}
		if (grant != null && this.settings.warnsOfLongHolds() && !grant.isReported()) {
			at = Time.earlier(at, grant.sinceNanos() + this.settings.heldTooLong().toNanos());
		}
		if (this.entry.mayBeHopeless(nowNanos) && this.entry.waiters.size() > 1) {
			at = Time.earlier(at, this.entry.health.hopelessNanos());
		}
		if (this.entry.phase() == Phase.RELEASING) {
			at = Time.earlier(at, this.entry.leaving.overdueNanos());
		}
		if (at == never && grant == null) {
			this.schedule.remove(this);
		}
		else {
			this.schedule.put(this, at);
		}
	}

	// What came of a renewal

	/**
	 * Takes in that a renewal got no answer, which says nothing about the hold.
	 */
	void failed(String renewedId, LockServerException because, long nowNanos) {
		if (this.entry.id().equals(renewedId)) {
			this.dueNanos = (because.reason() == Reason.REFUSED) ? togetherAfter(nowNanos)
					: nowNanos + QueueEntry.RETRY_NANOS;
			this.entry.health.failed(because);
			reschedule(nowNanos);
		}
	}

	/**
	 * When what was refused is sent again: together with all that was.
	 */
	private long togetherAfter(long nowNanos) {
		long step = this.settings.lookNanos();
		return (Math.floorDiv(nowNanos, step) + 2) * step;
	}

	/**
	 * Takes in the answer to a renewal.
	 */
	void renewed(String renewedId, LockReply reply, long nowNanos) {
		if (!this.entry.id().equals(renewedId)) {
			return;
		}
		if (reply.state() == State.UNKNOWN) {
			failed(renewedId, Failures.tooFewToRenew(this.entry.name()), nowNanos);
			return;
		}
		this.unanswered = false;
		this.dueNanos = nowNanos;
		if (!this.entry.waiters.isBusy()) {
			this.entry.health.answered();
		}
		boolean gone = reply.state() == State.NONE && this.entry.isNews(reply);
		if (this.entry.phase() == Phase.WAITING) {
			switch (reply.state()) {
				case HOLDS -> this.entry.asking.holds(reply, nowNanos);
				case WAITS -> this.entry.asking.waits(reply, nowNanos);
				default -> {
					if (gone && !this.entry.waiters.isBusy()) {
						this.entry.restart(nowNanos);
					}
				}
			}
		}
		else if (this.entry.holding.hasHold()) {
			renewedHold(reply, gone, nowNanos);
		}
	}

	private void renewedHold(LockReply reply, boolean gone, long nowNanos) {
		// An answer of the same millisecond says nothing: the next one will.
		if (reply.state() != State.NONE || gone) {
			this.entry.holding.hold().heard();
		}
		if (gone) {
			this.entry.holding.lose(Cause.GONE, nowNanos);
			return;
		}
		Grant grant = this.entry.holding.grant();
		if (reply.state() == State.HOLDS && grant != null && grant.isWatched()) {
			this.entry.holding.prolonged(grant, reply);
		}
		reschedule(nowNanos);
	}

}
