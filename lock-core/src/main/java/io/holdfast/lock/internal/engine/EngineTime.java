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

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.server.LockReply;

/**
 * The inputs of the engine that come with time: what falls due, and what came of the
 * renewals. Thread-safe, but for one look at a time.
 */
public final class EngineTime {

	/**
	 * When to look again at those that seem to wait for each other.
	 */
	private static final long SUSPICION_NANOS = Time.nanos(50);

	private final EngineContext context;

	private final TooLong tooLong;

	private final Deadlocks deadlocks;

	/**
	 * When threads are to be searched for that wait for each other.
	 */
	private long searchNanos;

	EngineTime(EngineContext context) {
		this.context = context;
		this.tooLong = new TooLong(context.settings);
		this.deadlocks = new Deadlocks(context);
		this.searchNanos = context.now();
	}

	/**
	 * Time has passed: does what is due, and soon will be, so that the renewals of locks
	 * that were taken one after another come to travel together.
	 * @return what to send
	 */
	public Look look() {
		try {
			Look look = new Look();
			if (this.context.missedMessages.getAndSet(false)) {
				missedMessages();
			}
			long now = this.context.now();
			this.context.schedule.take(now).forEach((due) -> look(due, look, now));
			if (this.context.torn) {
				this.context.torn = false;
				// Each input discards what is torn first.
				this.context.locks.values().forEach((lock) -> lock.run(() -> {
				}));
			}
			search(look, now);
			return look;
		}
		catch (RuntimeException | Error ex) {
			// What was due is not known any more, or what to discard.
			this.context.breakDown(ex);
			throw ex;
		}
	}

	private void missedMessages() {
		for (LocalLock lock : this.context.locks.values()) {
			lock.run(() -> lock.entries().forEach((entry) -> entry.missedMessages(this.context.now())));
		}
	}

	/**
	 * Searches for those who wait for each other. What goes wrong there does not keep
	 * renewals from being sent.
	 */
	private void search(Look look, long nowNanos) {
		if (!Time.isReached(this.searchNanos, nowNanos)) {
			return;
		}
		this.searchNanos = nowNanos + this.context.settings.lookNanos();
		try {
			this.deadlocks.find(look);
			if (this.deadlocks.isSuspicious()) {
				this.searchNanos = nowNanos + SUSPICION_NANOS;
			}
		}
		catch (RuntimeException | Error ex) {
			// The next search is to look at what this one has not.
			this.context.contend();
			this.context.host.failed(ex);
		}
	}

	private void look(Upkeep due, Look look, long nowNanos) {
		LocalLock lock = due.entry().lock;
		try {
			lock.run(() -> {
				this.tooLong.find(due.entry(), look, nowNanos);
				due.look(look, nowNanos);
			});
		}
		catch (RuntimeException | Error ex) {
			// It would never be looked at again.
			lock.tear(ex);
		}
	}

	/**
	 * When {@link #look} has to be called again, unless the alarm is given before.
	 */
	public long nextLookNanos() {
		long latest = this.context.now() + this.context.settings.lookNanos();
		if (this.deadlocks.isSuspicious()) {
			latest = Time.earlier(latest, this.searchNanos);
		}
		return this.context.schedule.sleepUntil(this.context.pendingReleases.nextNanos(latest));
	}

	/**
	 * An answer came to a renewal.
	 */
	public void renewed(Look.Due due, LockReply reply) {
		due.entry().lock.run(() -> {
			long now = this.context.now();
			// The answer may have come after the deadline.
			due.entry().holding.expire(now);
			due.entry().upkeep.renewed(due.renewal().id(), reply, now);
		});
	}

	/**
	 * No answer came to a renewal.
	 */
	public void renewalFailed(Look.Due due, LockServerException failure) {
		due.entry().lock.run(() -> due.entry().upkeep.failed(due.renewal().id(), failure, this.context.now()));
	}

}
