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

package io.holdfast.lock.internal.server;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Lets so many warnings of a kind pass in a minute, and counts the others. The minute
 * begins with the first one. Thread-safe.
 */
public final class WarningLimit {

	static final int MOST = 10;

	static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final int most;

	private final LongSupplier nanoTime;

	/** Guarded by this, as the others. */
	private int passed;

	private int kept;

	/** How many were kept back in minutes before the present one. */
	private int keptBefore;

	private long sinceNanos;

	/**
	 * Create the limit of ten in a minute.
	 */
	public WarningLimit(LongSupplier nanoTime) {
		this(MOST, nanoTime);
	}

	WarningLimit(int most, LongSupplier nanoTime) {
		this.most = most;
		this.nanoTime = nanoTime;
	}

	/**
	 * Whether a warning may be logged. If not, it counts as kept back.
	 */
	public synchronized boolean tryPass() {
		long now = this.nanoTime.getAsLong();
		if (this.passed == 0 || isOver(now)) {
			this.passed = 0;
			this.sinceNanos = now;
			this.keptBefore += this.kept;
			this.kept = 0;
		}
		boolean passes = this.passed < this.most;
		if (passes) {
			this.passed++;
		}
		else {
			this.kept++;
		}
		return passes;
	}

	/**
	 * Lets a warning pass, or counts it as kept back.
	 * @return how many were kept back before, which are not counted again; negative if
	 * this one is, too
	 */
	synchronized int pass() {
		return tryPass() ? takeSuppressed() : -1;
	}

	/**
	 * Whether the next warning would pass.
	 */
	synchronized boolean hasRoom() {
		return this.passed < this.most || isOver(this.nanoTime.getAsLong());
	}

	/**
	 * How many were kept back in a minute that is over. They are not counted again.
	 */
	public synchronized int takeSuppressed() {
		int count = this.keptBefore;
		this.keptBefore = 0;
		if (this.kept > 0 && isOver(this.nanoTime.getAsLong())) {
			count += this.kept;
			this.kept = 0;
		}
		return count;
	}

	private boolean isOver(long nowNanos) {
		return nowNanos - this.sinceNanos >= PERIOD_NANOS;
	}

}
