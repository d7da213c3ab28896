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
import io.holdfast.lock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * What owners have of one lock in this client, or have lost and not unlocked since.
 * Guarded by the monitor of the lock.
 */
final class Owners {

	private final Claims claims;

	/** In the order in which they began. */
	private List<Grant> grants = List.of();

	Owners(Claims claims) {
		this.claims = claims;
	}

	boolean isEmpty() {
		return this.grants.isEmpty();
	}

	/**
	 * What an owner has to unlock: the latest, if it has lost others before.
	 */
	@Nullable Grant latest(Object owner) {
		Grant latest = null;
		for (Grant grant : this.grants) {
			latest = (grant.owner() == owner) ? grant : latest;
		}
		return latest;
	}

	/**
	 * Who has the lock, or {@code null}.
	 */
	@Nullable Grant holder(long now) {
		return this.grants.stream().filter((grant) -> grant.isHeld(now)).findFirst().orElse(null);
	}

	/**
	 * An owner wants what it may have already.
	 * @return what it is told, or {@code null} if it does not have the lock
	 */
	@Nullable Verdict reenter(Waiter waiter, long now, Effects out) {
		Grant own = latest(waiter.owner);
		if (own == null) {
			return null;
		}
		expire(own, now, out);
		if (own.loss() == Cause.EXPIRED && !own.hold.watched) {
			// As its owner wanted, so it may come again.
			return null;
		}
		if (own.loss() != null) {
			return new Verdict.Lost(own);
		}
		if (!own.hold.wish.mode().covers(waiter.wish.mode())) {
			return Verdict.Simple.UPGRADE;
		}
		if (own.alone + own.shared == Integer.MAX_VALUE) {
			return new Verdict.Failed(new IllegalStateException("Lock '" + own.name() + "' is held " + Integer.MAX_VALUE
					+ " times by the same owner, which is the most there can be. Look for a recursion that locks and "
					+ "does not unlock"), false, true);
		}
		own.add(waiter.wish.isShared(), 1);
		return new Verdict.Granted(own);
	}

	Grant grant(Hold hold, Waiter waiter, long now) {
		Grant grant = hold.grant(waiter, now);
		this.grants = Few.plus(this.grants, grant);
		return grant;
	}

	/**
	 * Takes back one acquisition.
	 */
	void unlock(Grant grant, boolean read, long now, Effects out) {
		Hold hold = grant.hold;
		expire(grant, now, out);
		Cause loss = grant.loss();
		grant.add(read, -1);
		if (grant.isUnlocked()) {
			this.grants = Few.minus(this.grants, grant);
			hold.grants = Few.minus(hold.grants, grant);
			if (grant.waiter().maxHoldNanos > 0) {
				this.claims.state.context.timers().remove(grant.waiter());
			}
			if (loss == null) {
				hold.request.line.passOn(now, out);
			}
			else if ((loss == Cause.CLOSED || loss == Cause.ERROR || loss == Cause.MAX_HOLD) && hold.grants.isEmpty()) {
				this.claims.giveUp(hold.request, null, now, out);
			}
		}
		else if (loss == null && grant.alone == 0 && hold.wish.kind() == LockMode.Kind.EXCLUSIVE) {
			this.claims.downgrade(hold, now, out);
		}
	}

	/**
	 * Sees whether a grant is over.
	 */
	void expire(Grant grant, long now, Effects out) {
		Hold hold = grant.hold;
		if (grant.loss() == null && hold.isOver(now) && hold.grants.contains(grant)) {
			this.claims.lose(hold, Cause.EXPIRED, now, out);
			hold.request.line.settle(now, out);
		}
	}

	/**
	 * An owner has had it for as long as it may. Readers who share its hold go on.
	 */
	void overdue(Grant grant, long now, Effects out) {
		expire(grant, now, out);
		Hold hold = grant.hold;
		if (grant.loss() == null && !grant.isUnlocked()) {
			grant.state().context.lose(grant, Cause.MAX_HOLD);
			hold.grants = Few.minus(hold.grants, grant);
			if (hold.grants.isEmpty()) {
				// Left to its lease: its owner may yet give it back.
				this.claims.remove(hold.request);
				hold.request.line.settle(now, out);
			}
		}
	}

	/**
	 * An owner that has acquired the lock once more wants a longer lease than is left, or
	 * is the first to want that it is renewed.
	 */
	void extend(Grant grant, long leaseMillis, boolean watched, long now, Effects out) {
		Hold hold = grant.hold;
		boolean enough = watched ? hold.watched : hold.untilNanos() - now >= TimeUnit.MILLISECONDS.toNanos(leaseMillis);
		if (grant.loss() != null || enough) {
			return;
		}
		if (watched) {
			hold.watched = true;
			hold.leaseMillis = leaseMillis;
		}
		hold.request.extend(leaseMillis, now, out);
	}

	/**
	 * An owner wants to be sure.
	 */
	void confirm(Grant grant, long now, Effects out) {
		Hold hold = grant.hold;
		if (grant.isHeld(now) && !hold.downgrading) {
			hold.request.extend(hold.watched ? hold.leaseMillis : 1, now, out);
		}
	}

	/**
	 * A loss is not remembered any more.
	 */
	void forget(Grant grant) {
		if (grant.loss() != null) {
			this.grants = Few.minus(this.grants, grant);
		}
	}

}
