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

package io.holdfast.lock.internal.client;

import java.time.Duration;

import io.holdfast.lock.LockOptions;
import io.holdfast.lock.internal.protocol.Wish;
import org.jspecify.annotations.Nullable;

/**
 * What a caller asks for.
 *
 * @param name the name of the lock
 * @param wish beside whom, in which order, and behind how many
 * @param declaredName by which metrics count it
 * @param maxWait longest wait; zero for a single attempt
 * @param lease how long the hold lasts
 * @param maxHold how long its owner may have it
 */
record Want(String name, Wish wish, @Nullable String declaredName, Duration maxWait, Duration lease, Duration maxHold) {

	/**
	 * Half the range, so that differences between times never overflow.
	 */
	private static final Duration LONGEST_WAIT = Duration.ofNanos(Long.MAX_VALUE / 2);

	boolean isWatched() {
		return this.lease.equals(LockOptions.WATCHDOG);
	}

	/**
	 * The same, for a while.
	 */
	Want within(Duration wait) {
		return new Want(this.name, this.wish, this.declaredName, wait, this.lease, this.maxHold);
	}

	long waitNanos() {
		return (this.maxWait.compareTo(LONGEST_WAIT) < 0) ? this.maxWait.toNanos() : LONGEST_WAIT.toNanos();
	}

	long maxHoldNanos() {
		return this.maxHold.equals(LockOptions.FOREVER) ? 0 : this.maxHold.toNanos();
	}

	/**
	 * How messages call it.
	 */
	String subject() {
		return "Lock '" + this.name + "' (" + kind() + ")";
	}

	String kind() {
		return this.wish.mode() + (this.wish.fair() ? ", fair" : "");
	}

}
