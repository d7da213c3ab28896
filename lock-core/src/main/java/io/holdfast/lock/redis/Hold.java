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

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.Renewal;

/**
 * A hold that this client knows of: who of its owners has the grant, and what the client
 * may do with it. It ends with the request of its {@link Contender}. Guarded by the
 * {@link LocalLock}.
 */
final class Hold {

	private final Contender contender;

	private final Settings settings;

	private Tenure tenure;

	private Grant grant;

	/**
	 * The request that got it, and those whose owners had it since, in order.
	 */
	private final List<String> ids = new ArrayList<>(1);

	/**
	 * Whether a message that the hold has ended may have been lost.
	 */
	private boolean unheard;

	/**
	 * Whether it was ended by force before its owner could use it.
	 */
	private boolean forced;

	/**
	 * Begins with the grant of its first owner.
	 */
	Hold(Contender contender, Settings settings, Tenure tenure, Waiter first, long deadlineNanos, long nowNanos) {
		this.contender = contender;
		this.settings = settings;
		this.tenure = tenure;
		this.ids.add(contender.id());
		this.grant = newGrant(first, deadlineNanos, nowNanos);
	}

	Grant grant() {
		return this.grant;
	}

	// Owners

	/**
	 * Whether it may go from one owner to the next one without asking the server. If so,
	 * that counts.
	 */
	boolean tryPass(Grant from, Waiter next, long nowNanos) {
		return this.tenure.tryPass(from, next, nowNanos);
	}

	/**
	 * Gives the next owner its grant.
	 */
	void giveTo(Waiter next, long deadlineNanos, long nowNanos) {
		this.grant = newGrant(next, deadlineNanos, nowNanos);
	}

	/**
	 * Gives the owner of another request its grant.
	 */
	void giveTo(String id, Waiter next, long deadlineNanos, long nowNanos) {
		this.ids.add(id);
		giveTo(next, deadlineNanos, nowNanos);
	}

	List<String> ids() {
		return Collections.unmodifiableList(this.ids);
	}

	private Grant newGrant(Waiter waiter, long holdDeadlineNanos, long nowNanos) {
		long deadline = holdDeadlineNanos;
		long enough = Tenure.minLeftNanos(this.settings);
		if (!waiter.lease.watched()) {
			long leaseNanos = TimeUnit.MILLISECONDS.toNanos(waiter.lease.millis());
			deadline = nowNanos + Math.min(deadline - nowNanos, leaseNanos);
			enough = leaseNanos - leaseNanos / 10;
		}
		Grant granted = new Grant(this.contender.lock, this.contender, waiter, this.tenure.takeToken(), deadline);
		granted.unconfirmed = granted.token == 0 || !this.tenure.isReplicated() || deadline - nowNanos < enough;
		this.contender.lock.add(granted);
		waiter.granted(granted);
		return granted;
	}

	/**
	 * Takes in that another client has begun to wait.
	 */
	void awaited(long nowNanos) {
		this.tenure.awaited(nowNanos);
	}

	boolean isAwaited() {
		return this.tenure.isAwaited();
	}

	// Signs of life

	/**
	 * Takes in that messages may have been lost until now.
	 */
	void missedMessages() {
		this.unheard = true;
	}

	/**
	 * Takes in that the server has told whether it is still there.
	 */
	void heard() {
		this.unheard = false;
	}

	boolean wantsSigns() {
		return !this.grant.unconfirmed && (this.grant.watched || this.unheard);
	}

	long signLeaseMillis() {
		return this.grant.watched ? this.settings.watchdogTimeout().toMillis() : Renewal.ONLY_ASKS;
	}

	/**
	 * When the watchdog has to look whether it is over, at the latest.
	 */
	long nextLookNanos(long latestNanos) {
		boolean sooner = !this.grant.unconfirmed && this.grant.deadlineNanos() - latestNanos < 0;
		return sooner ? this.grant.deadlineNanos() : latestNanos;
	}

	/**
	 * Gives a grant that came without a token one of those that an answer has brought.
	 */
	void addTokens(Grant granted, LockReply standing) {
		if (granted.token == 0) {
			this.tenure.addTokens(standing.last());
			granted.token = this.tenure.takeToken();
		}
	}

	// Confirmation, before the first owner runs

	/**
	 * Takes in that it was ended by force, which its owner has not seen.
	 */
	void forced() {
		this.forced = true;
	}

	boolean isForced() {
		return this.forced;
	}

	/**
	 * Whether an answer says that it is there. The answer may be older than the force.
	 */
	boolean isProvenBy(LockReply standing) {
		return standing.state() == State.HOLDS && !this.forced;
	}

	/**
	 * Takes the tokens of an answer if the grant has older ones: then a late message told
	 * of an earlier hold of the request, which is over.
	 */
	void correct(Grant granted, LockReply standing, long nowNanos) {
		if (this.settings.queues() && granted.token != 0 && standing.token() > granted.token) {
			this.tenure = new Tenure(this.settings, standing.token(), standing.last(), standing.awaited(), nowNanos);
			granted.token = this.tenure.takeToken();
		}
	}

	/**
	 * Takes in that as many replicas as wanted know it.
	 */
	void replicated() {
		this.tenure.replicated();
	}

	boolean isReplicated() {
		return this.tenure.isReplicated();
	}

}
