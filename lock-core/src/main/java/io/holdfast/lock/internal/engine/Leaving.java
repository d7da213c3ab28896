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
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.LockRequest;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.ReleaseReply;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link QueueEntry} gives its request up, and puts the next one in its place if
 * others wait. For the phase RELEASING. Guarded by the {@link LocalLock}.
 */
final class Leaving {

	private final QueueEntry entry;

	private final EngineContext context;

	private @Nullable Departing departing;

	Leaving(QueueEntry entry, EngineContext context) {
		this.entry = entry;
		this.context = context;
	}

	/**
	 * Has the lock released in the background.
	 */
	void pend(long heldUntilNanos) {
		this.context.pendingReleases.add(this.entry.lock.key(), this.entry.id(), heldUntilNanos);
		this.entry.asking.uncertain(false);
	}

	/**
	 * Begins to give the request up. If others wait, the next request is known from now
	 * on: its grant may be told before the release is answered.
	 */
	ReleaseCommand depart(long token, long nowNanos) {
		Holding holding = this.entry.holding;
		boolean queues = this.context.settings.queues();
		boolean yields = !queues && holding.hasHold() && holding.hold().isAwaited();
		long heldUntil = holding.hasHold() ? holding.hold().deadlineNanos() : nowNanos;
		Waiter next = (queues && !this.context.closed) ? this.entry.waiters.first() : null;
		LockRequest wanted = (next != null) ? this.entry.asking.request(next) : null;
		String nextId = this.context.host.nextRequestId();
		ReleaseCommand command = new ReleaseCommand(this.entry.id(), token, (wanted != null) ? nextId : "", wanted);
		Departing begun = new Departing(command, nowNanos, heldUntil, yields);
		this.context.schedule.put(this.entry.upkeep, nowNanos + patienceNanos());
		this.entry.newRequest(nextId);
		this.entry.phase(Phase.RELEASING);
		this.entry.asking.notHeldBefore(nowNanos);
		this.departing = begun;
		return command;
	}

	/**
	 * Gives up on a release whose sender has not reported an outcome in time.
	 */
	void endOverdue(long nowNanos) {
		Departing late = this.departing;
		if (late != null && Time.isReached(overdueNanos(), nowNanos)) {
			failed(late.command(), Failures.noAnswer(this.entry.name()), late.heldUntilNanos(), nowNanos);
		}
	}

	/**
	 * Has a release that is on its way sent once more: nobody waits for its answer any
	 * more.
	 */
	void discard() {
		Departing begun = this.departing;
		if (begun != null) {
			this.context.pendingReleases.add(this.entry.lock.key(), begun.command().id(), begun.heldUntilNanos());
			this.departing = null;
		}
	}

	/**
	 * When a release that is on its way is given up.
	 */
	long overdueNanos() {
		long since = (this.departing != null) ? this.departing.sinceNanos() : this.context.now();
		return since + patienceNanos();
	}

	private long patienceNanos() {
		return this.context.settings.waiterTimeout().toNanos();
	}

	/**
	 * Whether this release is still on its way; if not, a message was faster than its
	 * answer, or it was given up.
	 */
	private boolean isDeparting(ReleaseCommand command) {
		return this.entry.phase() == Phase.RELEASING && isUnderWay(command);
	}

	private boolean isUnderWay(ReleaseCommand command) {
		return this.departing != null && this.departing.command().equals(command);
	}

	private void over(ReleaseCommand command) {
		if (isUnderWay(command)) {
			this.departing = null;
		}
	}

	/**
	 * Takes in that the request was given up, and how the next one stands.
	 * @return what to send if the next one stands although nobody wants it any more
	 */
	@Nullable ReleaseCommand released(ReleaseCommand command, ReleaseReply reply, long nowNanos) {
		ReleaseCommand again = isDeparting(command) ? departed(reply, nowNanos) : null;
		over(command);
		return again;
	}

	private @Nullable ReleaseCommand departed(ReleaseReply reply, long nowNanos) {
		this.entry.health.answered();
		LockReply next = reply.next();
		boolean stands = next != null && (next.state() == State.HOLDS || next.state() == State.WAITS);
		if (stands && (this.entry.waiters.isEmpty() || this.context.closed)) {
			return depart(0, nowNanos);
		}
		if (next == null || !stands) {
			boolean backsOff = this.departing != null && this.departing.yields();
			this.entry.restart(nowNanos);
			if (backsOff) {
				this.entry.asking.backOff(nowNanos);
			}
		}
		else if (next.state() == State.HOLDS) {
			this.entry.asking.holds(next, nowNanos);
		}
		else {
			this.entry.asking.waits(next, nowNanos);
		}
		return null;
	}

	/**
	 * Takes in that it is not known whether the request was given up, nor how the next
	 * one stands.
	 */
	void failed(ReleaseCommand command, LockServerException because, long heldUntilNanos, long nowNanos) {
		this.context.pendingReleases.add(this.entry.lock.key(), command.id(), heldUntilNanos);
		if (isDeparting(command)) {
			this.entry.asking.uncertain(command.next() != null && Failures.mayTakeEffect(because));
			this.entry.restart(nowNanos);
		}
		over(command);
	}

	/**
	 * A release on its way.
	 *
	 * @param command what is sent
	 * @param sinceNanos since when
	 * @param heldUntilNanos when the hold ends if the server is not told
	 * @param yields whether to back off after it: another client wants the lock, and a
	 * quorum has no queue
	 */
	private record Departing(ReleaseCommand command, long sinceNanos, long heldUntilNanos, boolean yields) {
	}

}
