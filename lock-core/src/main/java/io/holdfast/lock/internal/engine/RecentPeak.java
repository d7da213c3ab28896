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

/**
 * The largest value of the last one to two minutes, so that who looks every half a minute
 * sees what was over meanwhile. Thread-safe.
 */
final class RecentPeak {

	private static final long WINDOW_NANOS = Time.nanos(60_000);

	private long startNanos;

	private long present;

	private long previous;

	RecentPeak(long nowNanos) {
		this.startNanos = nowNanos;
	}

	synchronized void record(long value, long nowNanos) {
		turn(nowNanos);
		this.present = Math.max(this.present, value);
	}

	synchronized long get(long nowNanos) {
		turn(nowNanos);
		return Math.max(this.present, this.previous);
	}

	private void turn(long nowNanos) {
		long passed = nowNanos - this.startNanos;
		if (passed >= WINDOW_NANOS) {
			this.previous = (passed < 2 * WINDOW_NANOS) ? this.present : 0;
			this.present = 0;
			this.startNanos += passed / WINDOW_NANOS * WINDOW_NANOS;
		}
	}

}
