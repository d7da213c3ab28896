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

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What the checks of a history have found.
 */
final class Findings {

	private final List<Violation> violations = new ArrayList<>();

	private final Map<Fault, Long> longestStalls = new EnumMap<>(Fault.class);

	private long longestFaultFreeStallNanos;

	private long longestWaitNanos;

	private long faultFreeNanos;

	private long excusedOverlaps;

	private long excusedTokens;

	private long excusedTwins;

	private long[] handOvers = new long[0];

	void add(Property property, long lock, long at, String what) {
		this.violations.add(new Violation(property, lock, at, what));
	}

	/**
	 * Two held a lock after the server had lost its data, which nobody can prevent.
	 */
	void excuseOverlap() {
		this.excusedOverlaps++;
	}

	/**
	 * A hold from before the server lost its data was passed on, with a token of its own,
	 * when there was a later one.
	 */
	void excuseToken() {
		this.excusedTokens++;
	}

	/**
	 * A grant had the token of another, or one of the millisecond before it, as two
	 * masters worked at once.
	 */
	void excuseTwin() {
		this.excusedTwins++;
	}

	/**
	 * A free lock was not given to anybody although somebody waited.
	 */
	void stalled(List<Fault> faults, long nanos) {
		if (faults.isEmpty()) {
			this.longestFaultFreeStallNanos = Math.max(this.longestFaultFreeStallNanos, nanos);
		}
		faults.forEach((fault) -> this.longestStalls.merge(fault, nanos, Math::max));
	}

	/**
	 * Somebody waited in fault-free time.
	 */
	void waited(long nanos) {
		this.longestWaitNanos = Math.max(this.longestWaitNanos, nanos);
	}

	/**
	 * How much of the whole time was free of faults.
	 */
	void faultFree(long nanos) {
		this.faultFreeNanos = nanos;
	}

	void handOvers(long[] sortedNanos) {
		this.handOvers = sortedNanos;
	}

	List<Violation> violations() {
		return this.violations;
	}

	List<Violation> violations(Property property) {
		return this.violations.stream().filter((each) -> each.property() == property).toList();
	}

	Map<Fault, Long> longestStalls() {
		return this.longestStalls;
	}

	long longestFaultFreeStallNanos() {
		return this.longestFaultFreeStallNanos;
	}

	long longestWaitNanos() {
		return this.longestWaitNanos;
	}

	long faultFreeNanos() {
		return this.faultFreeNanos;
	}

	long excusedOverlaps() {
		return this.excusedOverlaps;
	}

	long excusedTokens() {
		return this.excusedTokens;
	}

	long excusedTwins() {
		return this.excusedTwins;
	}

	int handOvers() {
		return this.handOvers.length;
	}

	long handOverNanos(double share) {
		return (this.handOvers.length > 0) ? this.handOvers[(int) (share * (this.handOvers.length - 1))] : 0;
	}

}
