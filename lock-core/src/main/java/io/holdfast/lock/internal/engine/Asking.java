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
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.LockRequest;

/**
 * How a {@link QueueEntry} comes to its hold: what it asks, and what it knows of its
 * place. For the phases IDLE and WAITING. Guarded by the {@link LocalLock}.
 */
final class Asking {

	/**
	 * How many fencing tokens a client with many waiters asks for at most.
	 */
	static final int TOKEN_BLOCK = 1000;

	/**
	 * Bounds of the back-off before a waiter on a quorum, which has no queue, asks again.
	 */
	private static final long FIRST_PAUSE_MILLIS = 5;

	private static final long LONGEST_PAUSE_MILLIS = 40;

	private final QueueEntry entry;

	private final EngineContext context;

	/**
	 * Whether a question with the present id ever failed, so that it may still be carried
	 * out.
	 */
	private boolean uncertain;

	/**
	 * A moment before which the request certainly did not hold.
	 */
	private long notHeldBeforeNanos;

	/**
	 * Whether messages may have been missed while a command was in flight; its reply may
	 * predate them.
	 */
	private boolean missedMessages;

	/**
	 * The largest fencing token that an answer has named while the request waited.
	 */
	private long spentToken;

	/**
	 * How often in a row it was refused, where no queue remembers it.
	 */
	private int refusals;

	/**
	 * How often in a row the servers of a quorum said that nobody has the lock.
	 */
	private int splits;

	Asking(QueueEntry entry, EngineContext context) {
		this.entry = entry;
		this.context = context;
	}

	/**
	 * Whether a question may still be carried out.
	 */
	boolean isUncertain() {
		return this.uncertain;
	}

	void uncertain(boolean mayBeCarriedOut) {
		this.uncertain = mayBeCarriedOut;
	}

	boolean isRefused() {
		return this.refusals > 0 && this.splits == 0;
	}

	int splits() {
		return this.splits;
	}

	long notHeldBeforeNanos() {
		return this.notHeldBeforeNanos;
	}

	/**
	 * Takes in that a new request is sent now.
	 */
	void notHeldBefore(long nanos) {
		this.notHeldBeforeNanos = nanos;
	}

	/**
	 * Begins with a new request.
	 */
	void restart() {
		this.uncertain = false;
		this.missedMessages = false;
		this.spentToken = 0;
	}

	// Questions

	AcquireCommand ask(Waiter waiter, long nowNanos) {
		if (this.uncertain && !this.context.settings.queues()) {
			// The servers of a quorum may be told to release this id, now or later.
			this.entry.newRequest(this.context.host.nextRequestId());
		}
		AcquireCommand command = new AcquireCommand(this.entry.id(), request(waiter), this.entry.isWaiting());
		this.entry.begin(nowNanos);
		waiter.attempted = true;
		if (this.entry.phase() == Phase.IDLE && !this.uncertain) {
			this.notHeldBeforeNanos = nowNanos;
		}
		return command;
	}

	/**
	 * What a request wants for a waiter.
	 */
	LockRequest request(Waiter waiter) {
		int block = (this.entry.waiters.size() > 1) ? TOKEN_BLOCK : 1;
		return new LockRequest(this.entry.type(), waiter.lease.millis(), block);
	}

	/**
	 * Takes in the answer to a question.
	 */
	void replied(AcquireCommand command, LockReply reply, Waiter asker, long nowNanos) {
		boolean unknown = this.entry.isUnknown();
		this.entry.waiters.end();
		boolean current = this.entry.id().equals(command.id());
		if (reply.holds() && !current) {
			// It ran twice, and the first time is over.
			this.context.pendingReleases.add(this.entry.lock.key(), command.id(), nowNanos);
		}
		if (!this.entry.isPending() || !current) {
			// A message was faster.
			return;
		}
		this.entry.health.answered();
		asker.late = switch (reply.state()) {
			case LATE -> asker.late + 1;
			case HOLDS, SPLIT -> asker.late;
			default -> 0;
		};
		this.splits = (reply.state() == State.SPLIT) ? this.splits + 1 : 0;
		switch (reply.state()) {
			case HOLDS -> holds(reply, nowNanos);
			case WAITS -> waits(reply, nowNanos);
			case NONE -> {
				if (asker.waits() && !this.context.settings.queues()) {
					askLater(nowNanos);
				}
				else {
					asker.refused = true;
					if (!this.context.settings.queues()) {
						// The servers of a quorum are told to release this id, now or
						// later.
						this.entry.restart(nowNanos);
					}
				}
			}
			case LATE -> {
				// A place that is gone is no attempt, nor is a late request.
				asker.attempted = false;
				this.entry.restart(nowNanos);
			}
			case SPLIT -> {
				asker.attempted = false;
				askLater(nowNanos);
			}
			case STARTING, UNKNOWN -> throw new IllegalStateException("Not a valid reply to an acquisition: " + reply);
		}
		if (unknown) {
			this.entry.waiters.wakeTimedOut(nowNanos);
		}
	}

	/**
	 * Begins anew after a pause, where no queue would tell when it is this one's turn.
	 * Its length is random, so that those who were in each other's way once do not meet
	 * again.
	 */
	private void askLater(long nowNanos) {
		long longest = Math.min(FIRST_PAUSE_MILLIS << Math.min(this.refusals++, 10), LONGEST_PAUSE_MILLIS);
		long pause = this.context.host.random(longest / 2, longest + 1);
		this.entry.restart(nowNanos);
		this.entry.waiters.dueAt(nowNanos + Time.nanos(pause));
	}

	/**
	 * Asks no more for so long that every other client can ask once.
	 */
	void backOff(long nowNanos) {
		this.entry.waiters.dueAt(nowNanos + Time.nanos(LONGEST_PAUSE_MILLIS));
	}

	/**
	 * Takes in that a question got no answer.
	 */
	void failed(AcquireCommand command, LockServerException because, long nowNanos) {
		this.entry.waiters.end();
		if (!this.entry.id().equals(command.id())) {
			return;
		}
		boolean queues = this.context.settings.queues();
		if (queues) {
			// Also if a message was faster: the question may be on its way once more.
			this.uncertain |= Failures.mayTakeEffect(because);
		}
		if (!this.entry.isPending()) {
			return;
		}
		this.entry.health.failed(because);
		if (!queues) {
			// The servers of a quorum are told to release this id, now or later.
			this.entry.restart(nowNanos);
		}
		this.entry.waiters.dueAt(nowNanos + QueueEntry.RETRY_NANOS);
		this.entry.waiters.wakeTimedOut(nowNanos);
		this.entry.upkeep.reschedule(nowNanos);
	}

	// What it learns of its place

	/**
	 * Takes in that messages may have been lost until now.
	 */
	void missedMessages(long nowNanos) {
		if (this.entry.isBusy()) {
			this.missedMessages = true;
		}
		else {
			this.entry.waiters.dueAt(nowNanos);
		}
	}

	/**
	 * Returns and clears the flag that messages may have been missed.
	 */
	boolean takeMissedMessages() {
		boolean missed = this.missedMessages;
		this.missedMessages = false;
		return missed;
	}

	/**
	 * Takes in that it stands in the queue.
	 */
	void waits(LockReply reply, long nowNanos) {
		boolean slept = !this.entry.isPending();
		this.entry.phase(Phase.WAITING);
		this.notHeldBeforeNanos = reply.sentNanos();
		this.spentToken = reply.last();
		this.entry.learned(reply);
		this.entry.upkeep.next(reply.sentNanos(), this.context.settings.waiterTimeout().toMillis());
		// Those further back ask later, all of them a little apart.
		long spread = this.context.host.random(5, 25) + 2 * Math.min(reply.before(), 500);
		long untilFree = Time.nanos(reply.leftMillis() + spread);
		boolean now = takeMissedMessages();
		this.entry.waiters.dueAt(now ? nowNanos : nowNanos + Math.min(untilFree, this.context.pollNanos()));
		if (slept) {
			// It knows of no time at which to ask.
			this.entry.waiters.wakeFirst();
		}
		this.entry.upkeep.reschedule(nowNanos);
	}

	/**
	 * Takes in an answer that it holds the lock.
	 */
	void holds(LockReply reply, long nowNanos) {
		this.entry.learned(reply);
		take(reply.sentNanos(), reply.leftMillis(), reply.token(), reply.last(), reply.awaited(), nowNanos);
	}

	/**
	 * Takes in a message that it holds the lock.
	 */
	void handedOver(long leftMillis, long token, long last, boolean awaited, long nowNanos) {
		boolean expected = this.entry.isWaiting() || this.entry.phase() == Phase.RELEASING
				|| (this.entry.phase() == Phase.IDLE && this.entry.waiters.isBusy());
		if (expected && token > this.spentToken && !this.entry.waiters.isEmpty()) {
			this.entry.health.answered();
			take(this.notHeldBeforeNanos, leftMillis, token, last, awaited, nowNanos);
		}
	}

	private void take(long fromNanos, long leftMillis, long token, long last, boolean awaited, long nowNanos) {
		this.entry.upkeep.next(fromNanos, leftMillis);
		long deadline = Time.deadline(fromNanos, leftMillis);
		Hold hold = new Hold(this.context.settings, token, last, deadline, awaited, nowNanos);
		if (this.entry.holding.begin(hold, nowNanos)) {
			this.refusals = 0;
		}
	}

}
