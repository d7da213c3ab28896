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

import io.holdfast.lock.internal.protocol.Command;

/**
 * What was sent about one request, and what of that may still run. Guarded by the monitor
 * of the lock.
 */
final class Traffic {

	/** When the latest command was sent, if it has no answer yet. */
	private long underWay = Context.NEVER;

	/** Until when the latest question may run, if it has no answer yet. */
	private long asked = Context.NEVER;

	/** Until when a question may run that will have no answer. */
	private long doubtfulUntil = Context.NEVER;

	/** Whether the server said that nothing is there, or nothing was sent. */
	private boolean absent = true;

	boolean isUnderWay() {
		return this.underWay != Context.NEVER;
	}

	/**
	 * Whether Redis may have a place or a hold for it, or may still get one.
	 */
	boolean mayBeInRedis() {
		return !this.absent || doubtfulUntil() != Context.NEVER;
	}

	/**
	 * Until when a question of it may still run.
	 */
	long doubtfulUntil() {
		return (this.asked != Context.NEVER) ? this.asked : this.doubtfulUntil;
	}

	/**
	 * The same without the one that is under way.
	 */
	long doubtfulBefore() {
		return this.doubtfulUntil;
	}

	void sent(long now) {
		this.underWay = now;
	}

	void asked(long now, long until) {
		this.absent = false;
		this.doubtfulUntil = doubtfulUntil();
		this.asked = until;
		sent(now);
	}

	/**
	 * A command was answered, or has certainly changed nothing.
	 */
	void answered(Command command) {
		if (command instanceof Command.Ask ask && ask.notAfterNanos() == this.asked) {
			this.asked = Context.NEVER;
		}
	}

	/**
	 * What was sent until then has an outcome.
	 * @return whether that was under way
	 */
	boolean outcome(long sentNanos) {
		boolean over = isUnderWay() && sentNanos - this.underWay >= 0;
		if (over) {
			this.underWay = Context.NEVER;
		}
		return over;
	}

	/**
	 * Waits for nothing any more.
	 * @return when the command was sent that has no answer, if there is one
	 */
	long forget() {
		long sent = this.underWay;
		this.underWay = Context.NEVER;
		return sent;
	}

	/**
	 * The server says that nothing is there; what is under way may change that.
	 */
	void absent() {
		this.absent = !isUnderWay();
	}

}
