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

/**
 * For how long the server has answered nothing about one lock, whichever request asked.
 * Guarded by the monitor of the lock.
 */
final class Silence {

	private static final long MOST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

	/** When the first command since the last answer was sent that has no answer. */
	private long since = Context.NEVER;

	/** When that it has none was known: maybe a command time-out later. */
	private long noticed;

	private long answered = Context.NEVER;

	void answered(long now) {
		this.since = Context.NEVER;
		this.answered = now;
	}

	/**
	 * A command has no answer.
	 * @param sentNanos when it was sent; {@link Context#NEVER} if there is none
	 */
	void noAnswer(long sentNanos, long now) {
		if (this.since == Context.NEVER && sentNanos != Context.NEVER) {
			this.since = Context.later(this.answered, sentNanos);
			this.noticed = now;
		}
	}

	/**
	 * For how long to pause before the next renewal: for as long as the silence has been
	 * known, so that pauses double.
	 */
	long pauseNanos(long now) {
		long lasted = (this.since != Context.NEVER) ? now - this.noticed : 0;
		return Math.max(Context.Settings.RETRY_NANOS, Math.min(lasted, MOST_PAUSE_NANOS));
	}

	boolean isLongerThan(long nanos, long now) {
		return this.since != Context.NEVER && now - this.since >= nanos;
	}

}
