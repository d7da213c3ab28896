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

package io.holdfast.lock.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * The grants of one lock, in the order in which they were given.
 *
 * @param inOrder the grants
 */
record Grants(List<Grant> inOrder) {

	/**
	 * How many were given before a moment.
	 */
	long before(long nanoTime) {
		return this.inOrder.stream().filter((grant) -> grant.grantedNanos() < nanoTime).count();
	}

	/**
	 * The times from one owner's release to the next owner's grant, in nanoseconds.
	 */
	Samples handOvers() {
		return handOvers(false);
	}

	/**
	 * As {@link #handOvers()}, only where the process changed.
	 */
	Samples handOversBetweenProcesses() {
		return handOvers(true);
	}

	private Samples handOvers(boolean onlyBetweenProcesses) {
		Samples samples = new Samples();
		for (int i = 1; i < this.inOrder.size(); i++) {
			Grant from = this.inOrder.get(i - 1);
			Grant to = this.inOrder.get(i);
			if (!onlyBetweenProcesses || from.process() != to.process()) {
				samples.add(to.grantedNanos() - from.releasedNanos());
			}
		}
		return samples;
	}

	/**
	 * How many grants overtook a request that was made clearly earlier.
	 * @param byNanos what is clearly earlier
	 */
	long inversions(long byNanos) {
		long inversions = 0;
		long earliestStillWaiting = Long.MAX_VALUE;
		for (int i = this.inOrder.size() - 1; i >= 0; i--) {
			long calledNanos = this.inOrder.get(i).calledNanos();
			if (calledNanos - byNanos > earliestStillWaiting) {
				inversions++;
			}
			earliestStillWaiting = Math.min(earliestStillWaiting, calledNanos);
		}
		return inversions;
	}

	long longestWaitNanos() {
		return this.inOrder.stream().mapToLong((grant) -> grant.grantedNanos() - grant.calledNanos()).max().orElse(0);
	}

	/**
	 * When the last owner released the lock; 0 if there was none.
	 */
	long lastReleaseNanos() {
		return this.inOrder.stream().mapToLong(Grant::releasedNanos).max().orElse(0);
	}

	/**
	 * The largest share of a process divided by the smallest; infinite if one of so many
	 * had none.
	 */
	double processShares(int processes, long untilNanos) {
		return shares(Grant::process, processes, untilNanos);
	}

	/**
	 * As {@link #processShares}, of threads.
	 */
	double threadShares(int threads, long untilNanos) {
		return shares((grant) -> ((long) grant.process() << 32) + grant.thread(), threads, untilNanos);
	}

	private double shares(ToLongFunction<Grant> who, int count, long untilNanos) {
		Map<Long, Long> shares = this.inOrder.stream()
			.filter((grant) -> grant.grantedNanos() < untilNanos)
			.collect(Collectors.groupingBy(who::applyAsLong, Collectors.counting()));
		if (shares.size() < count) {
			return Double.POSITIVE_INFINITY;
		}
		return (double) shares.values().stream().mapToLong(Long::longValue).max().orElse(1)
				/ shares.values().stream().mapToLong(Long::longValue).min().orElse(1);
	}

	/**
	 * One grant; the moments are of {@link System#nanoTime()}.
	 *
	 * @param process whose process
	 * @param thread whose thread
	 * @param calledNanos just before the lock was asked for
	 * @param grantedNanos just after it was granted
	 * @param releasedNanos just before it was released
	 */
	record Grant(int process, int thread, long calledNanos, long grantedNanos, long releasedNanos) {
	}

}
