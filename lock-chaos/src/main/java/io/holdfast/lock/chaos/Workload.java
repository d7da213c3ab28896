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

package io.holdfast.lock.chaos;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * Chooses at random what one thread does: which lock it wants, in which way, and how it
 * uses that. The same seed makes the same choices.
 */
final class Workload {

	/** Of the locks that threads share. */
	static final Duration LONGEST_LEASE = Duration.ofSeconds(2);

	/**
	 * So long that one can see a lock which is not released.
	 */
	private static final Duration SINGLE_USE_LEASE = Duration.ofSeconds(60);

	private static final int HOT_LOCKS = 3;

	private final ClientSetup setup;

	private final Random random;

	private final AtomicInteger singles;

	/**
	 * Create the choices of one thread.
	 * @param singles counts the locks for one call that the threads of a client wanted
	 */
	Workload(ClientSetup setup, long seed, AtomicInteger singles) {
		this.setup = setup;
		this.random = new Random(seed);
		this.singles = singles;
	}

	private boolean chance(int percent) {
		return this.random.nextInt(100) < percent;
	}

	/**
	 * Chooses the number of a lock: mostly one that all want, sometimes one that is for
	 * one call only.
	 */
	long lock() {
		if (chance(this.setup.singles())) {
			return LockNumbers.single(this.setup.process(), this.singles.incrementAndGet());
		}
		return this.random.nextInt(chance(30) ? HOT_LOCKS : this.setup.locks());
	}

	LockRequest request(long lock) {
		Duration lease = chance(60) ? null : Duration.ofMillis(30 + this.random.nextInt(1970));
		if (LockNumbers.isSingle(lock) && chance(50)) {
			lease = SINGLE_USE_LEASE;
		}
		Duration wait = Duration.ofMillis(waitMillis());
		return new LockRequest(LockNumbers.name(lock), mode(lock), chance(40), chance(25) && !wait.isNegative(), wait,
				lease);
	}

	/**
	 * Chooses beside whom to hold a lock. Some are for one holder, some mostly for
	 * readers, and some mostly for permits; but each mode excludes the others.
	 */
	private Mode mode(long lock) {
		if (!this.setup.hasModes() || lock % 3 == 0) {
			return Mode.ALONE;
		}
		if (chance((lock % 3 == 1) ? 25 : 8)) {
			return Mode.ALONE;
		}
		if (lock % 3 == 1 || chance(8)) {
			return Mode.READER;
		}
		return chance(60) ? Mode.ONE_PERMIT : chance(70) ? Mode.TWO_PERMITS : Mode.ALL_PERMITS;
	}

	/**
	 * Negative for a wait without end.
	 */
	private long waitMillis() {
		return switch (this.random.nextInt(10)) {
			case 0 -> 0;
			case 1 -> 1 + this.random.nextInt(20);
			case 2, 3, 4 -> 200;
			case 5 -> -1;
			default -> 2000 + this.random.nextInt(6000);
		};
	}

	/**
	 * How often to acquire it again while it is held.
	 */
	int reentries() {
		return chance(20) ? 1 + this.random.nextInt(2) : 0;
	}

	/**
	 * How long to hold it: mostly for a short time, sometimes for longer than an explicit
	 * lease or than several renewals.
	 */
	Duration holdTime(@Nullable Duration lease) {
		int permille = this.random.nextInt(1000);
		long millis = 0;
		if (permille < 8 && lease != null && lease.toMillis() < 500) {
			millis = lease.toMillis() + this.random.nextInt(100);
		}
		else if (permille < 1) {
			millis = 500L + this.random.nextInt(2000);
		}
		else if (permille < 300) {
			millis = this.random.nextInt((int) this.setup.use().toMillis());
		}
		return Duration.ofMillis(millis);
	}

	/**
	 * Whether to write though the lock is known to be lost: who pauses between the look
	 * and the write does.
	 */
	boolean writesAfterLoss() {
		return chance(50);
	}

}
