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

	/**
	 * When the first command since the last answer was found to have none. Not when it
	 * was sent: if this process was stopped since, the answer may be on its way.
	 */
	private long since = Context.NEVER;

	void answered() {
		this.since = Context.NEVER;
	}

	void noAnswer(long now) {
		if (this.since == Context.NEVER) {
			this.since = now;
		}
	}

	/**
	 * For how long to pause before the next renewal: for as long as the silence has
	 * lasted, so that pauses double.
	 */
	long pauseNanos(long now) {
		long lasted = (this.since != Context.NEVER) ? now - this.since : 0;
		return Math.max(Context.Settings.RETRY_NANOS, Math.min(lasted, MOST_PAUSE_NANOS));
	}

	boolean isLongerThan(long nanos, long now) {
		return this.since != Context.NEVER && now - this.since >= nanos;
	}

}
