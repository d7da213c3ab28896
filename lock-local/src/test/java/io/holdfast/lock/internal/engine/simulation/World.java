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

package io.holdfast.lock.internal.engine.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Time, chance and order of one schedule: what happens, happens one after another on one
 * thread, at moments that the seed decides.
 */
final class World {

	/**
	 * More than any schedule needs: one that does not end is a finding, too.
	 */
	private static final int MOST_EVENTS = 500_000;

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private final SplittableRandom random;

	/**
	 * What happened, if somebody wants to read it.
	 */
	private final List<String> trace = new ArrayList<>();

	private final boolean traces;

	private Runnable afterEach = () -> {
	};

	private long nanos;

	private long sequence;

	private int count;

	World(long seed, boolean traces) {
		this.random = new SplittableRandom(seed);
		this.traces = traces;
	}

	static long millis(long millis) {
		return TimeUnit.MILLISECONDS.toNanos(millis);
	}

	/**
	 * True time, since the beginning.
	 */
	long nanos() {
		return this.nanos;
	}

	/**
	 * Sets what to check after each event.
	 */
	void afterEach(Runnable check) {
		this.afterEach = check;
	}

	void after(long delayNanos, Runnable action) {
		this.events.add(new Event(this.nanos + Math.max(delayNanos, 0), this.sequence++, action));
	}

	/**
	 * Lets time pass until a moment.
	 */
	void runUntil(long untilNanos) {
		for (Event next = this.events.peek(); next != null && next.nanos() <= untilNanos; next = this.events.peek()) {
			this.events.remove();
			this.nanos = next.nanos();
			next.action().run();
			this.afterEach.run();
			if (++this.count > MOST_EVENTS) {
				throw new AssertionError("It goes round in circles");
			}
		}
		this.nanos = Math.max(this.nanos, untilNanos);
	}

	int count() {
		return this.count;
	}

	// Chance

	long random(long origin, long bound) {
		return this.random.nextLong(origin, bound);
	}

	int random(int bound) {
		return this.random.nextInt(bound);
	}

	/**
	 * Whether something happens that does so in so many of a thousand cases.
	 */
	boolean chance(int perMille) {
		return perMille > 0 && this.random.nextInt(1000) < perMille;
	}

	long oneOf(long... values) {
		return values[this.random.nextInt(values.length)];
	}

	// Trace

	/**
	 * Notes what happens, with numbers and texts that are the same whenever the seed is.
	 */
	void note(String who, Object... what) {
		if (this.traces) {
			this.trace.add(String.format("%,14d us  %-12s %s", this.nanos / 1000, who,
					Stream.of(what).map(String::valueOf).collect(Collectors.joining())));
		}
	}

	List<String> trace() {
		return this.trace;
	}

	/**
	 * Something that will happen.
	 */
	private record Event(long nanos, long sequence, Runnable action) implements Comparable<Event> {

		@Override
		public int compareTo(Event other) {
			int byTime = Long.compare(this.nanos, other.nanos);
			return (byTime != 0) ? byTime : Long.compare(this.sequence, other.sequence);
		}

	}

}
