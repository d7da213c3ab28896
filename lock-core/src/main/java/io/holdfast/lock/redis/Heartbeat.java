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
 * When a request has to show the server that its client lives. Guarded by the
 * {@link LocalLock}.
 */
final class Heartbeat {

	private final long patienceNanos;

	private long atNanos;

	private boolean onItsWay;

	private long sinceNanos;

	/**
	 * Create the heartbeat of a request.
	 * @param patienceNanos how long a sign that gets no answer stops the next
	 */
	Heartbeat(long patienceNanos) {
		this.patienceNanos = patienceNanos;
	}

	/**
	 * Sets the next sign to a third of the time that the latest one lasts.
	 */
	void next(long fromNanos, long lastsMillis) {
		at(fromNanos + TimeUnit.MILLISECONDS.toNanos(lastsMillis) / 3);
	}

	void at(long nanos) {
		this.atNanos = nanos;
	}

	boolean isDue(long nowNanos) {
		boolean hangs = this.onItsWay && nowNanos - this.sinceNanos >= this.patienceNanos;
		return (!this.onItsWay || hangs) && nowNanos - this.atNanos >= 0;
	}

	/**
	 * When it has to be looked at again, at the latest.
	 */
	long nextLookNanos(long latestNanos) {
		return (!this.onItsWay && this.atNanos - latestNanos < 0) ? this.atNanos : latestNanos;
	}

	void begin(long nowNanos) {
		this.onItsWay = true;
		this.sinceNanos = nowNanos;
	}

	void end() {
		this.onItsWay = false;
	}

}
