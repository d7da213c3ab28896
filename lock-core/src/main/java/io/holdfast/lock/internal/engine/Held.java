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
			request.schedule.endAt(this.hold.untilNanos());
			this.hold.grants.forEach((grant) -> out.add(new Effects.Orphaned(grant)));
		}
		else if (this.hold.isOver(now)) {
			end(request, now, out);
		}
		else if (this.hold.watched || this.hold.downgrading) {
			request.schedule.endAt(this.hold.untilNanos());
			request.send(now, out);
		}
		else {
			// Asks whether it is still there: a hold never becomes shorter.
			request.extend(this.hold, 1, now, out);
		}
	}

	@Override
	public void end(Request request, long now, Effects out) {
		if (this.hold.isOver(now)) {
			lose(request, Cause.EXPIRED, now, out);
		}
		else {
			request.schedule.endAt(this.hold.untilNanos());
		}
	}

	@Override
	public void holds(Request request, Command command, Reply reply, long now, Effects out) {
		if (this.hold.isOver(now)) {
			// Its owner may have seen that.
			end(request, now, out);
			return;
		}
		if (isAnother(command, reply)) {
			lose(request, Cause.GONE, now, out);
			return;
		}
		if (isOfAnEarlierOne(reply)) {
			schedule(request, now);
			return;
		}
		boolean downgrade = command instanceof Command.Downgrade;
		if (downgrade || !this.hold.downgrading) {
			this.hold.tie.heard(command, reply.sentNanos());
		}
		if (downgrade) {
			this.hold.downgraded(reply);
		}
		else if (!this.hold.downgrading) {
			this.hold.renewed(reply,
					(command instanceof Command.Renew renewal) ? renewal.leaseMillis() : this.hold.leaseMillis);
			// Where answers take longer than the next look, it waits for no later one.
			request.traffic.forget();
			request.schedule.answered();
		}
		this.hold.renewalDueNanos = this.hold.renewalNanos(now);
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
			lose(request, Cause.GONE, now, out);
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
		if (failure.reason() == Reason.REFUSED && !request.traffic.isUnderWay()) {
			// It may pass, as when rights are loaded anew, but not soon.
			request.schedule.workAt(Math.max(this.hold.renewalNanos(now), now + Context.Settings.RETRY_NANOS));
		}
		else if (!request.traffic.isUnderWay()) {
			// Holds may be many. Who waits is told how it stands soon.
			long most = Math.max(Context.Settings.RETRY_NANOS, (this.hold.untilNanos() - now) / 4);
			request.schedule.workAt(now + Math.min(request.claims.silence.pauseNanos(now), most));
		}
	}

	@Override
	public void forced(Request request, long now, Effects out) {
		lose(request, Cause.FORCED, now, out);
	}

	@Override
	public void missedMessages(Request request, long now) {
		this.hold.missedMessages();
		request.schedule.workNext(now);
	}

	private void lose(Request request, Cause cause, long now, Effects out) {
		request.claims.lose(this.hold, cause, now, out);
	}

	/**
	 * Sets when to renew the hold, or when it ends, unless that is known already.
	 */
	void schedule(Request request, long now) {
		if (request.traffic.isUnderWay() || request.schedule.work != Context.NEVER) {
			return;
		}
		if (this.hold.downgrading) {
			request.schedule.workNext(now + Context.Settings.RETRY_NANOS);
		}
		else if (this.hold.watched && this.hold.tie.isLoose()) {
			// Others may take it for a dead one's.
			request.schedule.workAt(now + request.context.settings.graceNanos() / 4);
		}
		else if (this.hold.watched) {
			request.schedule.workAt(this.hold.renewalNanos(now));
		}
		else {
			request.schedule.endAt(this.hold.untilNanos());
		}
	}

}
