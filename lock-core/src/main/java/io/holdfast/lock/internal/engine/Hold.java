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
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Wish;

/**
 * What Redis granted to a request, as far as this client may believe it: from the moment
 * before the question was sent, for what was left then, less a thousandth and a
 * millisecond for clocks that run at different rates. Guarded by the monitor of the lock,
 * but for its end.
 */
final class Hold {

	final Request request;

	Wish wish;

	long leaseMillis;

	boolean watched;

	/** Which hold of its request a release means. */
	long stamp;

	/** When this client came to know of it. */
	final long knownNanos;

	List<Grant> grants = List.of();

	private long token;

	private long nextToken;

	private long lastToken;

	private volatile long untilNanos;

	final Tie tie;

	/** When its next renewal was to be sent that has no answer yet. */
	long renewalDueNanos;

	/** Whether readers that come later may enter. */
	boolean open = true;

	/** Whether nobody had it yet. */
	boolean fresh = true;

	boolean othersWait;

	boolean downgrading;

	private int handOvers;

	private long handOversSince;

	Hold(Request request, Reply reply, long fromNanos, long now) {
		Line line = request.line;
		this.request = request;
		this.wish = line.wish;
		this.leaseMillis = line.leaseMillis;
		this.watched = line.watched;
		this.knownNanos = now;
		this.tie = request.tie;
		this.tie.begin(fromNanos);
		this.untilNanos = fromNanos + believedNanos(reply.leftMillis(), this.leaseMillis);
		this.renewalDueNanos = renewalNanos(now);
		begin(reply);
	}

	private void begin(Reply reply) {
		this.token = reply.token();
		this.nextToken = reply.token();
		this.lastToken = reply.last();
		this.stamp = stamp(this.wish, reply);
		noteOthers(reply.othersWait());
	}

	static long stamp(Wish wish, Reply reply) {
		return wish.isShared() ? reply.last() : reply.token();
	}

	/**
	 * Never longer than was asked for: the server's clock may have been set back.
	 */
	private static long believedNanos(long leftMillis, long askedMillis) {
		long nanos = TimeUnit.MILLISECONDS.toNanos(Math.min(leftMillis, askedMillis));
		return nanos - nanos / 1000 - 1_000_000;
	}

	long untilNanos() {
		return this.untilNanos;
	}

	long leaseNanos() {
		return TimeUnit.MILLISECONDS.toNanos(this.leaseMillis);
	}

	boolean isOver(long now) {
		return Context.isReached(this.untilNanos, now);
	}

	/**
	 * Until when its owners may believe in it.
	 */
	long sureNanos() {
		return this.tie.sureNanos(this.untilNanos);
	}

	boolean isSure(long now) {
		return !Context.isReached(sureNanos(), now);
	}

	/**
	 * Whether enough is left for an owner to begin.
	 */
	boolean isEnough(long now, Context.Settings settings) {
		long least = this.watched ? settings.enoughNanos() : TimeUnit.MILLISECONDS.toNanos(this.leaseMillis) / 4 * 3;
		long left = this.untilNanos - now;
		return left >= least && sureNanos() - now >= Math.min(left, settings.graceNanos() / 2);
	}

	/**
	 * When to renew it: after a third of what is left, as a grant that came by message
	 * has less than a whole lease.
	 */
	long renewalNanos(long now) {
		long left = Math.min(leaseNanos(), this.untilNanos - now);
		return Schedule.soonerTogether(now, left / 3, leaseNanos() / 3);
	}

	void renewed(Reply reply, long askedMillis) {
		this.untilNanos = Context.later(this.untilNanos,
				reply.sentNanos() + believedNanos(reply.leftMillis(), askedMillis));
		this.lastToken = Math.max(this.lastToken, reply.last());
		noteOthers(reply.othersWait());
	}

	void downgraded(Reply reply) {
		this.downgrading = false;
		this.open = true;
		this.othersWait = false;
		begin(reply);
		this.grants.forEach((grant) -> grant.token = this.token);
	}

	/**
	 * Whether nobody is left who could give it back.
	 */
	boolean isOrphaned() {
		for (Grant grant : this.grants) {
			if (!grant.isOrphaned()) {
				return false;
			}
		}
		return !this.grants.isEmpty();
	}

	void noteOthers(boolean wait) {
		if (wait && !this.othersWait) {
			this.handOvers = 0;
			this.handOversSince = Context.NEVER;
			this.open = false;
		}
		this.othersWait = wait;
	}

	/**
	 * Whether the next caller of its line may have it.
	 */
	boolean mayTake(long now, Context context) {
		if (!isSure(now)) {
			return false;
		}
		if (this.wish.isShared()) {
			return this.fresh || (!this.request.pinned && this.open && context.hears()
					&& isEnough(now, context.settings) && !isOrphaned());
		}
		if (!this.grants.isEmpty() || this.nextToken > this.lastToken) {
			return false;
		}
		if (this.fresh) {
			return true;
		}
		if (this.request.pinned || !this.watched || !isEnough(now, context.settings)) {
			return false;
		}
		return !this.othersWait
				|| (this.handOvers < context.settings.handOvers() && (this.handOversSince == Context.NEVER
						|| now - this.handOversSince < Context.Settings.HAND_OVERS_NANOS));
	}

	/**
	 * For how long its owner has it, if that is less than the server knows; else 0.
	 */
	long ownedMillis(long now) {
		if (this.wish.isShared() || this.grants.isEmpty() || !this.grants.get(0).wasPassedOn()) {
			return 0;
		}
		return Math.max(1, TimeUnit.NANOSECONDS.toMillis(now - this.grants.get(0).sinceNanos()));
	}

	Grant grant(Waiter waiter, long now) {
		if (!this.fresh && this.othersWait && !this.wish.isShared()) {
			if (this.handOversSince == Context.NEVER) {
				this.handOversSince = now;
			}
			this.handOvers++;
		}
		long given = this.wish.isShared() ? this.token : this.nextToken++;
		Grant grant = new Grant(waiter, this, given, now);
		this.grants = Few.plus(this.grants, grant);
		grant.add(waiter.wish.isShared(), 1);
		return grant;
	}

	/**
	 * Its owners have lost it.
	 */
	void lose(Cause cause) {
		for (Grant grant : this.grants) {
			if (grant.loss() == null) {
				grant.state().context.lose(grant, cause);
			}
		}
	}

}
