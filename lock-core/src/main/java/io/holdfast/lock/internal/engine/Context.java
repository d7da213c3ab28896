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

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.holdfast.lock.LockLoss.Cause;
import org.jspecify.annotations.Nullable;

/**
 * What all locks of a client have in common.
 */
public final class Context {

	/** No time at all. */
	static final long NEVER = Long.MIN_VALUE;

	final Settings settings;

	final UnaryOperator<String> keys;

	final Supplier<String> ids;

	final LongSupplier jitter;

	private final Timers timers = new Timers();

	private final Owed owed = new Owed(this);

	/** Since when no messages arrive, if they do not. */
	private volatile long deafSince = NEVER;

	private volatile @Nullable Session session;

	private volatile boolean closed;

	volatile boolean torn;

	/**
	 * Grants whose loss is to be told, from the first one to the last: a list through the
	 * grants, so that one which is lost is in it also when memory or stack is used up.
	 * Guarded by this.
	 */
	private volatile @Nullable Grant firstLost;

	private @Nullable Grant lastLost;

	/**
	 * Create the context.
	 * @param settings the settings
	 * @param keys spells the key of a name
	 * @param ids draws ids of requests
	 * @param jitter draws a part of a pause, in nanoseconds
	 */
	public Context(Settings settings, UnaryOperator<String> keys, Supplier<String> ids, LongSupplier jitter) {
		this.settings = settings;
		this.keys = keys;
		this.ids = ids;
		this.jitter = jitter;
	}

	public Timers timers() {
		return this.timers;
	}

	public Owed owed() {
		return this.owed;
	}

	/**
	 * Whether messages arrive.
	 */
	public boolean hears() {
		return this.deafSince == NEVER;
	}

	/**
	 * Says whether messages arrive. Who does so is one thread.
	 */
	public void hears(boolean arrive, long now) {
		this.deafSince = arrive ? NEVER : hears() ? now : this.deafSince;
	}

	/**
	 * For how long no messages have arrived.
	 */
	public long deafNanos(long now) {
		long since = this.deafSince;
		return (since != NEVER) ? Math.max(0, now - since) : 0;
	}

	/**
	 * The session of this client that the server sees, if there is one.
	 */
	public @Nullable Session session() {
		return this.session;
	}

	/**
	 * The server has told of the session of this client.
	 * @param name its name; {@code null} if it does not see one
	 * @param sentNanos when it was asked
	 * @return whether it is another one than before, to which holds have to be tied
	 */
	public synchronized boolean session(@Nullable String name, long sentNanos) {
		Session current = this.session;
		if (current != null && current.name.equals(name)) {
			current.alive(sentNanos);
			return false;
		}
		this.session = (name != null) ? new Session(name, this.settings.graceNanos(), sentNanos) : null;
		return current != this.session;
	}

	public void torn() {
		this.torn = true;
	}

	/**
	 * Whether an error has torn the state of a lock since the latest look.
	 */
	public boolean takeTorn() {
		if (!this.torn) {
			return false;
		}
		this.torn = false;
		return true;
	}

	/**
	 * A grant is lost, which is to be told.
	 */
	public synchronized void lose(Grant grant, Cause cause) {
		// Nothing is called, so it is lost if and only if it will be told.
		grant.loss = cause;
		if (this.lastLost == null) {
			this.firstLost = grant;
		}
		else {
			this.lastLost.nextLost = grant;
		}
		this.lastLost = grant;
	}

	/**
	 * The grant whose loss is to be told first, or {@code null}.
	 */
	public @Nullable Grant firstLost() {
		return this.firstLost;
	}

	/**
	 * The loss that was to be told first has been. Who tells is one thread.
	 */
	public synchronized void told() {
		Grant told = this.firstLost;
		if (told != null) {
			this.firstLost = told.nextLost;
			this.lastLost = (this.firstLost != null) ? this.lastLost : null;
			told.nextLost = null;
		}
	}

	public boolean isClosed() {
		return this.closed;
	}

	/**
	 * Lets nobody wait any more. Each lock has to be told after that.
	 */
	public void close() {
		this.closed = true;
	}

	static boolean isReached(long nanos, long now) {
		return nanos - now <= 0;
	}

	static long later(long one, long other) {
		return (one != NEVER && one - other >= 0) ? one : other;
	}

	/**
	 * The settings.
	 *
	 * @param watchdogMillis the lease of a hold that is renewed
	 * @param waiterNanos after which a place in the queue is dropped that nobody renews
	 * @param commandNanos within which each command has an answer or fails
	 * @param validityNanos how long after it was sent a question may take effect at most
	 * @param handOvers how often a hold may be handed over in the client while others
	 * wait
	 * @param queues whether the server has a queue
	 * @param graceNanos after which others may have what a dead client holds; 0 if only
	 * leases end that
	 */
	public record Settings(long watchdogMillis, long waiterNanos, long commandNanos, long validityNanos, int handOvers,
			boolean queues, long graceNanos) {

		static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

		static final long HAND_OVERS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

		/**
		 * For how long there may be a hold of which no answer has told.
		 */
		long unheardNanos(long leaseMillis) {
			return this.validityNanos + this.waiterNanos + TimeUnit.MILLISECONDS.toNanos(leaseMillis);
		}

		/**
		 * What must be left of a renewed hold for an owner to begin.
		 */
		long enoughNanos() {
			return Math.min(TimeUnit.MILLISECONDS.toNanos(this.watchdogMillis), this.waiterNanos) / 3;
		}

	}

}
