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

import java.util.concurrent.TimeUnit;

/**
 * What a client may do with one hold: the fencing tokens it may give out, and how long
 * its threads may pass the lock to each other before it is another client's turn. Guarded
 * by the {@link LocalLock}.
 */
final class Tenure {

	/**
	 * How long threads may pass a hold to each other while hand-overs count.
	 */
	private static final long MAX_LOCAL_RUN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final Settings settings;

	private long nextToken;

	private long lastToken;

	/**
	 * Whether as many replicas as wanted know the hold.
	 */
	private boolean replicated;

	private boolean awaited;

	private int handOvers;

	private long runSinceNanos;

	Tenure(Settings settings, long firstToken, long lastToken, boolean awaited, long nowNanos) {
		this.settings = settings;
		this.nextToken = firstToken;
		this.lastToken = lastToken;
		this.replicated = settings.replicas() == null;
		this.awaited = awaited;
		this.runSinceNanos = nowNanos;
	}

	/**
	 * The local time until which a hold may be believed in, of which something was left
	 * after a moment. Clocks may differ in rate, so a thousandth is taken off, and the
	 * server counts whole milliseconds.
	 */
	static long deadline(long fromNanos, long leftMillis) {
		long left = TimeUnit.MILLISECONDS.toNanos(leftMillis);
		return fromNanos + left - left / 1000 - TimeUnit.MILLISECONDS.toNanos(1);
	}

	/**
	 * What must be left of a watched hold for it to be used or passed on unrenewed.
	 */
	static long minLeftNanos(Settings settings) {
		return settings.handOverLease().toNanos() / 3;
	}

	/**
	 * The next token, or 0 if the client has to fetch more.
	 */
	long takeToken() {
		return hasToken() ? this.nextToken++ : 0;
	}

	private boolean hasToken() {
		return this.nextToken <= this.lastToken;
	}

	void addTokens(long last) {
		if (last > this.lastToken) {
			this.nextToken = Math.max(this.nextToken, this.lastToken + 1);
			this.lastToken = last;
		}
	}

	void replicated() {
		this.replicated = true;
	}

	boolean isReplicated() {
		return this.replicated;
	}

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
	 * Whether the hold may be passed from one thread of this client to another without
	 * asking the server. If so, that counts.
	 */
	boolean tryPass(Grant from, Waiter next, long nowNanos) {
		long left = from.deadlineNanos() - nowNanos;
		// More is left if a nested call asked for a longer lease: the next owner did not.
		boolean asWatched = left >= minLeftNanos(this.settings) && left <= this.settings.watchdogTimeout().toNanos();
		if (!from.watched || !next.lease.watched() || !asWatched) {
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
