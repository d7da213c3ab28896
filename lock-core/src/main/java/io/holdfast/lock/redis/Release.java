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
import io.holdfast.lock.redis.Contender.Departure;
import io.holdfast.lock.redis.LockServer.Released;
import org.jspecify.annotations.Nullable;

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
			Departure departure;
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
				departure = contender.depart(now);
			}
			if (!depart(contender, departure)) {
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
	void withdraw(Contender contender, Departure departure) {
		try {
			depart(contender, departure);
		}
		catch (LockServerException ex) {
			// Leftovers go on, and the caller has its answer without this.
		}
	}

	/**
	 * Tells the server to release a request. For those who wait behind it joins the queue
	 * again in the same step; if they all leave meanwhile, withdraws that one, too.
	 * @return whether the server knew the request
	 */
	private boolean depart(Contender contender, Departure first) {
		String key = contender.lock.key;
		Departure departure = first;
		Released released = null;
		while (departure != null) {
			try {
				Released answer = this.locks.server.release(key, departure.id(), departure.nextId(), departure.next());
				released = (released != null) ? released : answer;
				departure = settle(contender, departure, answer);
			}
			catch (RuntimeException | Error ex) {
				this.locks.leftovers.add(key, departure.id());
				unsettled(contender, departure);
				throw ex;
			}
		}
		return released == null || released.had();
	}

	/**
	 * Takes in the answer to a departure.
	 * @return what is to be given up next, or {@code null} for nothing
	 */
	private @Nullable Departure settle(Contender contender, Departure departure, Released answer) {
		synchronized (contender.lock) {
			if (!contender.isDeparting(departure)) {
				return null;
			}
			long now = this.locks.now();
			if (contender.departed(answer.next(), now, this.locks.pollNanos())) {
				return contender.depart(now);
			}
			removeIfIdle(contender);
			return null;
		}
	}

	/**
	 * Takes in that a departure was not answered: those in the line start anew.
	 */
	private void unsettled(Contender contender, Departure departure) {
		synchronized (contender.lock) {
			if (contender.isDeparting(departure)) {
				if (!departure.nextId().isEmpty()) {
					this.locks.leftovers.add(contender.lock.key, departure.nextId());
				}
				contender.restart(this.locks.now());
				removeIfIdle(contender);
			}
		}
	}

	private static void removeIfIdle(Contender contender) {
		if (!contender.hasWaiters() && contender.phase() == Contender.Phase.IDLE) {
			contender.lock.remove(contender);
		}
	}

}
