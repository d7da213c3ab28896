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

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The monotonic clock, which can fail once, at any of its readings: the code of a client
 * reads it between all of its steps, so that it may meet an {@code Error} between any of
 * them.
 */
final class FailingClock implements LongSupplier {

	private final Map<Thread, AtomicInteger> onThread = new ConcurrentHashMap<>();

	private volatile AtomicInteger elsewhere = new AtomicInteger(-1);

	@Override
	public long getAsLong() {
		AtomicInteger countdown = this.onThread.getOrDefault(Thread.currentThread(), this.elsewhere);
		if (countdown.getAndDecrement() == 0) {
			throw new OnPurpose();
		}
		return System.nanoTime();
	}

	/**
	 * Makes the calling thread fail once, and no other.
	 * @param readings how many work before
	 */
	void failHereAfter(int readings) {
		this.onThread.put(Thread.currentThread(), new AtomicInteger(readings));
	}

	/**
	 * Whether a failure of the calling thread has happened. None will from now on.
	 */
	boolean hasFailedHere() {
		return this.onThread.get(Thread.currentThread()).getAndSet(-1) < 0;
	}

	/**
	 * Makes one of the threads fail once that have no failure of their own.
	 * @param readings how many work before
	 */
	void failElsewhereAfter(int readings) {
		this.onThread.put(Thread.currentThread(), new AtomicInteger(-1));
		this.elsewhere = new AtomicInteger(readings);
	}

	boolean hasFailedElsewhere() {
		return this.elsewhere.get() < 0;
	}

	/**
	 * What the clock throws.
	 */
	static final class OnPurpose extends Error {

		OnPurpose() {
			super("thrown on purpose");
		}

	}

}
