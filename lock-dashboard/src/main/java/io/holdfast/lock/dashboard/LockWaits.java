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

package io.holdfast.lock.dashboard;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How much one lock was waited for in the last five minutes: a ring of slots of five
 * seconds. A wait is spread over all slots in which it went on. Times are nanoseconds
 * since a common start. Not thread-safe.
 */
final class LockWaits {

	static final int SLOTS = 60;

	static final Duration SLOT = Duration.ofSeconds(5);

	private static final long SLOT_NANOS = SLOT.toNanos();

	/** So much of a wait counts. */
	static final long REACH_NANOS = SLOTS * SLOT_NANOS;

	private final String name;

	private final long[] waitedNanos = new long[SLOTS];

	/** As {@code waitedNanos}, with what the lock has inherited. */
	private final long[] rankedNanos = new long[SLOTS];

	private final long[] longestNanos = new long[SLOTS];

	private final int[] waits = new int[SLOTS];

	private final int[] withoutLock = new int[SLOTS];

	/** The number of the slot that is written now. */
	private long latestSlot;

	private long totalNanos;

	private long totalRankedNanos;

	private int totalEnded;

	/** Only of a copy. */
	private int underWay;

	LockWaits(String name) {
		this.name = name;
	}

	/**
	 * Takes the place of another lock, and its rank, so a name that is evicted and comes
	 * back still rises.
	 */
	LockWaits(String name, LockWaits replaced) {
		this(name);
		System.arraycopy(replaced.rankedNanos, 0, this.rankedNanos, 0, SLOTS);
		this.totalRankedNanos = replaced.totalRankedNanos;
		this.latestSlot = replaced.latestSlot;
	}

	/**
	 * A copy, to which waits that go on can be added.
	 */
	LockWaits(LockWaits other) {
		this(other.name);
		this.latestSlot = other.latestSlot;
		this.totalNanos = other.totalNanos;
		System.arraycopy(other.waitedNanos, 0, this.waitedNanos, 0, SLOTS);
		System.arraycopy(other.longestNanos, 0, this.longestNanos, 0, SLOTS);
		System.arraycopy(other.waits, 0, this.waits, 0, SLOTS);
		System.arraycopy(other.withoutLock, 0, this.withoutLock, 0, SLOTS);
	}

	String name() {
		return this.name;
	}

	/**
	 * Adds a wait.
	 * @param now when it ended
	 * @param nanos how long it took
	 * @param failed whether it ended without the lock
	 */
	void add(long now, long nanos, boolean failed) {
		spread(now, nanos);
		int present = index(this.latestSlot);
		this.waits[present]++;
		this.totalEnded++;
		this.withoutLock[present] += failed ? 1 : 0;
	}

	/**
	 * Adds a wait that goes on.
	 * @param now the time
	 * @param nanos for how long it has gone on
	 */
	void addUnderWay(long now, long nanos) {
		spread(now, nanos);
		this.underWay++;
	}

	private void spread(long now, long nanos) {
		moveTo(now / SLOT_NANOS);
		int present = index(this.latestSlot);
		this.longestNanos[present] = Math.max(this.longestNanos[present], nanos);
		long start = Math.max(Math.max(now - nanos, 0), (this.latestSlot - SLOTS + 1) * SLOT_NANOS);
		for (long slot = start / SLOT_NANOS; slot <= this.latestSlot; slot++) {
			long part = Math.min(now, (slot + 1) * SLOT_NANOS) - Math.max(start, slot * SLOT_NANOS);
			this.waitedNanos[index(slot)] += part;
			this.totalNanos += part;
			this.rankedNanos[index(slot)] += part;
			this.totalRankedNanos += part;
		}
	}

	/**
	 * Whether no wait has ended in the last five minutes.
	 */
	boolean isIdle(long now) {
		moveTo(now / SLOT_NANOS);
		return this.totalEnded == 0;
	}

	/**
	 * The sum of all waits in the last five minutes, as of the latest call with a time.
	 */
	long totalNanos() {
		return this.totalNanos;
	}

	/**
	 * As {@link #totalNanos}, with the waits for the locks whose place this one took.
	 */
	long rankedNanos() {
		return this.totalRankedNanos;
	}

	Snapshot snapshot() {
		int[] oldestFirst = IntStream.range(0, SLOTS).map((i) -> index(this.latestSlot + 1 + i)).toArray();
		return new Snapshot(this.name, this.underWay,
				Duration.ofNanos(Arrays.stream(this.longestNanos).max().orElse(0)),
				Arrays.stream(oldestFirst).mapToObj((i) -> waiting(this.waitedNanos[i])).toList(),
				Arrays.stream(oldestFirst).mapToObj((i) -> this.waits[i] - this.withoutLock[i]).toList(),
				Arrays.stream(oldestFirst).mapToObj((i) -> this.withoutLock[i]).toList());
	}

	/** Callers at a time, on average, to two digits. */
	private static double waiting(long waited) {
		return Math.round(100.0 * waited / SLOT_NANOS) / 100.0;
	}

	private void moveTo(long slot) {
		for (long cleared = Math.max(this.latestSlot + 1, slot - SLOTS + 1); cleared <= slot; cleared++) {
			int index = index(cleared);
			this.totalNanos -= this.waitedNanos[index];
			this.totalEnded -= this.waits[index];
			this.totalRankedNanos -= this.rankedNanos[index];
			this.waitedNanos[index] = 0;
			this.rankedNanos[index] = 0;
			this.longestNanos[index] = 0;
			this.waits[index] = 0;
			this.withoutLock[index] = 0;
		}
		this.latestSlot = Math.max(this.latestSlot, slot);
	}

	private static int index(long slot) {
		return (int) (slot % SLOTS);
	}

	/**
	 * What there was of waits, in slots the oldest first.
	 *
	 * @param name the lock's name
	 * @param underWay how many waits go on
	 * @param longest the longest wait in full, even if it began earlier
	 * @param waiting for each slot how many callers waited at a time, on average
	 * @param got for each slot how many waits ended with the lock: the hand-overs to this
	 * process
	 * @param inVain for each slot how many waits ended without the lock
	 */
	record Snapshot(String name, int underWay, Duration longest, List<Double> waiting, List<Integer> got,
			List<Integer> inVain) {

		Snapshot withName(String shown) {
			return new Snapshot(shown, this.underWay, this.longest, this.waiting, this.got, this.inVain);
		}
	}

}
