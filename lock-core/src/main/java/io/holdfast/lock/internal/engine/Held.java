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
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Reply;

/**
 * The stage of a request that holds the lock.
 *
 * @param hold what it has
 */
record Held(Hold hold) implements Stage {

	@Override
	public void work(Request request, long now, Effects out) {
		if (this.hold.isOrphaned()) {
			this.hold.grants.forEach((grant) -> out.add(new Effects.Orphaned(grant)));
		}
		else if (this.hold.watched || this.hold.downgrading) {
			request.send(now, out);
		}
		else {
			// Asks whether it is still there: a hold never becomes shorter.
			request.extend(1, now, out);
		}
	}

	@Override
	public void holds(Request request, Command command, Reply reply, long now, Effects out) {
		if (this.hold.isOver(now) || isAnother(command, reply)) {
			// Its owner may have seen that it is over.
			request.claims.lose(this.hold, this.hold.isOver(now) ? Cause.EXPIRED : Cause.GONE, now, out);
			return;
		}
		boolean downgrade = command instanceof Command.Downgrade;
		if (!isOfAnEarlierOne(reply) && (downgrade || !this.hold.downgrading)) {
			this.hold.tie.heard(command, reply.sentNanos());
			if (downgrade) {
				this.hold.downgraded(reply);
			}
			else {
				this.hold.renewed(reply,
						(command instanceof Command.Renew renewal) ? renewal.leaseMillis() : this.hold.leaseMillis);
				// Where answers take longer than the next look, no later one is awaited.
				request.traffic.forget();
				request.schedule.answered();
			}
			this.hold.renewalDueNanos = this.hold.renewalNanos(now);
		}
		schedule(request, now);
	}

	/**
	 * Whether the server has ended the hold, and granted another one to a question that
	 * ran late: others may have had the lock in between. A downgrade has a later stamp in
	 * any case; it only counts if the owner was sure when it sent that.
	 */
	private boolean isAnother(Command command, Reply reply) {
		if (!this.hold.tie.isTied()) {
			// Its lease outlasts the questions, and on a quorum stamps are raised.
			return false;
		}
		return (command instanceof Command.Downgrade) ? !this.hold.isSure(reply.sentNanos())
				: !this.hold.downgrading && Hold.stamp(this.hold.wish, reply) > this.hold.stamp;
	}

	/**
	 * Whether a late answer is about an earlier hold of the request, which may have been
	 * tied to another session.
	 */
	private boolean isOfAnEarlierOne(Reply reply) {
		return this.hold.tie.isTied() && !this.hold.downgrading && Hold.stamp(this.hold.wish, reply) < this.hold.stamp;
	}

	@Override
	public void waits(Request request, Reply reply, long now, Effects out) {
		schedule(request, now);
	}

	@Override
	public void none(Request request, Command command, Reply reply, long now, Effects out) {
		if (reply.sentNanos() - this.hold.knownNanos > 0) {
			request.claims.lose(this.hold, Cause.GONE, now, out);
		}
		else {
			schedule(request, now);
		}
	}

	@Override
	public void late(Request request, Verdict word, long due, long now, Effects out) {
		schedule(request, now);
	}

	@Override
	public void failed(Request request, LockServerException failure, long now, Effects out) {
		// Holds may be many. Who waits is told how it stands soon.
		long most = Math.max(Context.Settings.RETRY_NANOS, (this.hold.untilNanos() - now) / 4);
		// What is refused may pass, as when rights are loaded anew, but not soon.
		request.schedule.workNext((failure.reason() == Reason.REFUSED)
				? Math.max(this.hold.renewalNanos(now), now + Context.Settings.RETRY_NANOS)
				: now + Math.min(request.claims.silence.pauseNanos(now), most));
	}

	@Override
	public void forced(Request request, long now, Effects out) {
		request.claims.lose(this.hold, Cause.FORCED, now, out);
	}

	@Override
	public void missedMessages(Request request, long now) {
		// Whether others wait is not known any more.
		this.hold.open = false;
		request.schedule.workNext(now);
	}

	/**
	 * Sets when to renew the hold, if it is renewed, unless that is known already.
	 */
	void schedule(Request request, long now) {
		if (request.traffic.isUnderWay() || request.schedule.work != Context.NEVER) {
			return;
		}
		long next = this.hold.watched ? this.hold.renewalNanos(now) : Context.NEVER;
		if (this.hold.downgrading) {
			next = now + Context.Settings.RETRY_NANOS;
		}
		else if (this.hold.watched && this.hold.tie.isLoose()) {
			// Others may take it for a dead one's.
			long soon = now + request.context.settings.graceNanos() / 4;
			next = (soon - next < 0) ? soon : next;
		}
		request.schedule.workAt(next);
	}

}
