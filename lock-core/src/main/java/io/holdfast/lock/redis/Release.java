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

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.ReleaseReply;

/**
 * Gives back what {@link Acquisition} got, on the thread of its owner.
 */
final class Release {

	private final Locks locks;

	Release(Locks locks) {
		this.locks = locks;
	}

	/**
	 * Gives back one acquisition. The last one passes the lock on: to a thread of this
	 * client if it may, else to the server.
	 * @throws LockLostException if the grant was lost; it counts as given back
	 * @throws LockServerException if the server did not answer; it counts as given back
	 */
	void release(Grant grant) {
		LocalLock lock = grant.lock;
		Contender contender = grant.contender;
		boolean used = false;
		try {
			ReleaseCommand departure;
			synchronized (lock) {
				if (grant.isReleased()) {
					return;
				}
				long now = this.locks.now();
				this.locks.expire(contender, now);
				LockLoss loss = grant.loss();
				if (grant.count > 1) {
					grant.count--;
				}
				else {
					grant.release();
					used = lock.remove(grant);
				}
				if (loss != null) {
					throw new LockLostException(loss);
				}
				if (!grant.isReleased() || contender.pass(grant, now)) {
					return;
				}
				departure = contender.depart(grant.token, now);
			}
			if (!depart(contender, departure, grant.deadlineNanos())) {
				throw new LockLostException(gone(grant));
			}
		}
		finally {
			if (used) {
				this.locks.unuse(lock);
			}
		}
	}

	/**
	 * The server does not know the hold, and nothing here had noticed.
	 */
	private LockLoss gone(Grant grant) {
		synchronized (grant.lock) {
			Grant.Notice notice = grant.lose(Cause.GONE, this.locks.now());
			this.locks.notifier.send(notice);
			return notice.loss();
		}
	}

	/**
	 * Gives up the place of a contender that nobody waits for any more.
	 */
	void withdraw(Contender contender, ReleaseCommand departure) {
		try {
			depart(contender, departure, this.locks.now());
		}
		catch (LockServerException ex) {
			// Leftovers go on, and the caller has its answer without this.
		}
	}

	/**
	 * Tells the server to release a request. For those who wait behind it joins the queue
	 * again in the same step; if they all leave meanwhile, withdraws that one, too.
	 * @param heldUntilNanos when it ends if the server is not told
	 * @return whether the server knew the request
	 */
	private boolean depart(Contender contender, ReleaseCommand departure, long heldUntilNanos) {
		ReleaseReply answer;
		try {
			answer = this.locks.server.release(contender.lock.key, departure);
		}
		catch (LockServerException ex) {
			this.locks.leftovers.add(contender.lock.key, departure.ids(), heldUntilNanos);
			synchronized (contender.lock) {
				if (contender.isDeparting(departure)) {
					contender.departedUnanswered(departure, this.locks.now());
				}
			}
			throw ex;
		}
		ReleaseCommand unwanted = null;
		synchronized (contender.lock) {
			long now = this.locks.now();
			if (contender.isDeparting(departure) && contender.departed(answer.next(), now, this.locks.pollNanos())) {
				unwanted = contender.depart(0, now);
			}
		}
		if (unwanted != null) {
			withdraw(contender, unwanted);
		}
		return answer.had();
	}

}
