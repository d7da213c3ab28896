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

/**
 * When something is due for one request: its next command, and the end of what it has.
 * Guarded by the monitor of the lock.
 */
final class Schedule extends Timers.Timer {

	private final Request request;

	/** When the next command is due, if that is known. */
	long work = Context.NEVER;

	Schedule(Request request) {
		this.request = request;
	}

	void workAt(long nanos) {
		this.work = nanos;
		set();
	}

	/**
	 * Sets the timer for its next command, or for the end of its hold if that is sooner.
	 */
	private void set() {
		Hold hold = this.request.hold();
		long end = (hold != null) ? hold.untilNanos() : this.work;
		long next = (this.work == Context.NEVER || end - this.work < 0) ? end : this.work;
		if (next != Context.NEVER) {
			this.request.context.timers().set(this, next);
		}
	}

	/**
	 * When a pause is over that begins now, or up to a tenth of its usual length sooner:
	 * what is due at about the same time travels together.
	 */
	static long soonerTogether(long now, long pauseNanos, long usualNanos) {
		long end = now + pauseNanos;
		return (pauseNanos < usualNanos / 2) ? end : end - Math.floorMod(end, Math.max(1, usualNanos / 10));
	}

	/**
	 * Looks again when nothing can come of a command any more: whoever was to send it may
	 * have vanished.
	 */
	void lookAgain(long now) {
		workAt(now + 2 * this.request.context.settings.commandNanos());
	}

	/**
	 * The command that it waited for was answered. The timer stays where it is: mostly it
	 * is set to another time at once.
	 */
	void answered() {
		this.work = Context.NEVER;
	}

	/**
	 * Sends the next command then, if none is under way.
	 */
	void workNext(long nanos) {
		if (!this.request.traffic.isUnderWay()) {
			workAt(nanos);
		}
	}

	void stop() {
		this.work = Context.NEVER;
		this.request.context.timers().remove(this);
	}

	@Override
	public LockState state() {
		return this.request.line.claims.state;
	}

	/**
	 * A request that was given up does nothing any more, though its timer was taken out
	 * just before.
	 */
	@Override
	void fire(long now, Effects out) {
		Line line = this.request.line;
		if (line.claims.request(this.request.id) != this.request) {
			return;
		}
		Hold hold = this.request.hold();
		if (hold != null && hold.isOver(now)) {
			line.claims.lose(hold, Cause.EXPIRED, now, out);
		}
		else if (this.work == Context.NEVER || !Context.isReached(this.work, now)) {
			set();
		}
		else {
			workAt(Context.NEVER);
			this.request.work(now, out);
		}
		line.settle(now, out);
	}

}
