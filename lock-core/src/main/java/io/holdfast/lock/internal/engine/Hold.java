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

import io.holdfast.lock.internal.server.LockReply;
import org.jspecify.annotations.Nullable;

/**
 * A hold that this client knows of: until when it is believed in, the fencing tokens that
 * it may give out, and how long the callers of this client may pass it to each other
 * before it is another client's turn. It ends with the request of its {@link QueueEntry}.
 * Guarded by the {@link LocalLock}.
 */
final class Hold {

	/**
	 * How long callers may pass a hold to each other while hand-overs count.
	 */
	private static final long MAX_LOCAL_RUN_NANOS = Time.nanos(100);

	private final EngineSettings settings;

	private long firstToken;

	private long nextToken;

	private long lastToken;

	private long deadlineNanos;

	/**
	 * Whether an owner has asked the server for a longer lease. The answer may be lost.
	 */
	private boolean prolonged;

	/**
	 * Whether this client may have missed the message that ended it.
	 */
	private boolean unheard;

	/**
	 * Whether a confirmation was attempted.
	 */
	private boolean tried;

	private boolean awaited;

	private int handOvers;

	private long runSinceNanos;

	private @Nullable Grant grant;

	/**
	 * Whether it had an owner.
	 */
	private boolean granted;

	Hold(EngineSettings settings, long firstToken, long lastToken, long deadlineNanos, boolean awaited, long nowNanos) {
		this.settings = settings;
		this.deadlineNanos = deadlineNanos;
		begin(firstToken, lastToken, awaited, nowNanos);
	}

	private void begin(long first, long last, boolean isAwaited, long nowNanos) {
		this.firstToken = first;
		this.nextToken = first;
		this.lastToken = last;
		this.awaited = isAwaited;
		this.handOvers = 0;
		this.runSinceNanos = nowNanos;
	}

	long firstToken() {
		return this.firstToken;
	}

	long deadlineNanos() {
		return this.deadlineNanos;
	}

	boolean isOver(long nowNanos) {
		return Time.isReached(this.deadlineNanos, nowNanos);
	}

	// Its grant

	/**
	 * The grant of the present owner; {@code null} while it is confirmed.
	 */
	@Nullable Grant grant() {
		return this.grant;
	}

	/**
	 * Whether a waiter may use it as it is.
	 */
	boolean isUsable(Waiter waiter, long nowNanos) {
		// An explicit lease would end before its owner expects.
		long enough = waiter.lease.watched() ? this.settings.minLeftNanos()
				: waiter.lease.nanos() - waiter.lease.nanos() / 10;
		return isConfirmed(nowNanos) && this.deadlineNanos - nowNanos >= enough;
	}

	/**
	 * Whether it is there and has a token for the next owner.
	 */
	boolean isConfirmed(long nowNanos) {
		return hasToken() && !isOver(nowNanos);
	}

	/**
	 * Gives a waiter its grant. No owner believes in it for longer than it has asked for.
	 */
	Grant grantTo(Waiter waiter, QueueEntry entry, long nowNanos) {
		long left = this.deadlineNanos - nowNanos;
		long deadline = nowNanos + (waiter.lease.watched() ? left : Math.min(left, waiter.lease.nanos()));
		Grant granted = new Grant(entry, waiter, this.nextToken, this.granted, deadline, nowNanos);
		this.granted = true;
		this.nextToken++;
		this.grant = granted;
		return granted;
	}

	/**
	 * Whether it has, or had, an owner.
	 */
	boolean wasGranted() {
		return this.granted;
	}

	/**
	 * Ends the grant of an owner; the next one has to be confirmed, or can use it.
	 */
	void endGrant() {
		this.grant = null;
		this.tried = false;
	}

	boolean hasToken() {
		return this.nextToken <= this.lastToken;
	}

	void prolongs() {
		this.prolonged = true;
	}

	/**
	 * Whether the server may still have it when the explicit lease of a grant is over.
	 */
	boolean mayOutlast(Grant ended) {
		return this.prolonged || ended.deadlineNanos() - this.deadlineNanos < 0;
	}

	/**
	 * Takes in that the server has it.
	 */
	void renewed(LockReply reply) {
		long deadline = Time.deadline(reply.sentNanos(), reply.leftMillis());
		if (deadline - this.deadlineNanos > 0) {
			this.deadlineNanos = deadline;
		}
		Grant owned = this.grant;
		if (owned != null && owned.isWatched()) {
			owned.extend(this.deadlineNanos);
		}
	}

	// Confirmation, before an owner runs

	boolean wasTried() {
		return this.tried;
	}

	void tries() {
		this.tried = true;
	}

	/**
	 * Takes the tokens of an answer. Where its first one is larger, a late message told
	 * of an earlier hold of the request, which is over.
	 */
	void takeTokens(LockReply reply, long nowNanos) {
		if (this.settings.queues() && reply.token() > this.firstToken) {
			begin(reply.token(), reply.last(), reply.awaited(), nowNanos);
		}
		else if (reply.last() > this.lastToken) {
			this.nextToken = Math.max(this.nextToken, this.lastToken + 1);
			this.lastToken = reply.last();
		}
	}

	// Messages

	void missedMessages() {
		this.unheard = true;
	}

	/**
	 * Takes in that the server has told whether it is still there.
	 */
	void heard() {
		this.unheard = false;
	}

	boolean isUnheard() {
		return this.unheard;
	}

	// Hand-over inside this client

	/**
	 * Hand-overs count from now on: another client has begun to wait.
	 */
	void awaited(long nowNanos) {
		if (!this.awaited) {
			this.awaited = true;
			this.handOvers = 0;
			this.runSinceNanos = nowNanos;
		}
	}

	boolean isAwaited() {
		return this.awaited;
	}

	/**
	 * Whether it may be passed from one owner of this client to another without asking
	 * the server. If so, that counts.
	 */
	boolean tryPass(Grant from, Waiter next, long nowNanos) {
		long left = from.deadlineNanos() - nowNanos;
		// More is left if a nested call asked for a longer lease: the next owner did not.
		boolean asWatched = left >= this.settings.minLeftNanos() && left <= this.settings.watchdogTimeout().toNanos();
		if (!from.isWatched() || !next.lease.watched() || !asWatched) {
			return false;
		}
		if (this.awaited) {
			boolean spent = this.handOvers >= this.settings.maxLocalHandoffs()
					|| nowNanos - this.runSinceNanos > MAX_LOCAL_RUN_NANOS;
			if (spent || !hasToken()) {
				return false;
			}
			this.handOvers++;
		}
		return true;
	}

}
