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
import java.util.List;
import java.util.function.Predicate;

import io.holdfast.lock.chaos.History.FaultWindow;

/**
 * When something was broken: the time of each fault, and after it a moment in which
 * everybody finds out that it is over.
 */
final class FaultWindows {

	private final List<FaultWindow> windows;

	private final Topology topology;

	private final long[] froms;

	private final long[] tos;

	/**
	 * How much fault time there was before each of the times above.
	 */
	private final long[] before;

	FaultWindows(List<FaultWindow> windows, Topology topology) {
		this.windows = windows;
		this.topology = topology;
		List<long[]> merged = new ArrayList<>();
		for (FaultWindow window : windows) {
			long to = end(window);
			long[] last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
			if (last != null && window.from() <= last[1]) {
				last[1] = Math.max(last[1], to);
			}
			else {
				merged.add(new long[] { window.from(), to });
			}
		}
		this.froms = merged.stream().mapToLong((each) -> each[0]).toArray();
		this.tos = merged.stream().mapToLong((each) -> each[1]).toArray();
		this.before = new long[this.froms.length];
		for (int i = 1; i < this.before.length; i++) {
			this.before[i] = this.before[i - 1] + this.tos[i - 1] - this.froms[i - 1];
		}
	}

	private long end(FaultWindow window) {
		return window.to() + this.topology.recovery(window.fault()).toNanos();
	}

	/**
	 * How much of a time was free of faults.
	 */
	long faultFreeNanos(long from, long to) {
		return Math.max(to - from, 0) - Math.max(faultNanosBefore(to) - faultNanosBefore(from), 0);
	}

	private long faultNanosBefore(long at) {
		int low = 0;
		int high = this.froms.length;
		while (low < high) {
			int middle = (low + high) >>> 1;
			if (this.froms[middle] < at) {
				low = middle + 1;
			}
			else {
				high = middle;
			}
		}
		int last = low - 1;
		return (last >= 0) ? this.before[last] + Math.min(at, this.tos[last]) - this.froms[last] : 0;
	}

	boolean isFaultFree(long from, long to) {
		return faultFreeNanos(from, to) == Math.max(to - from, 0);
	}

	/**
	 * Whether data may have been lost within a time.
	 */
	boolean lostData(long from, long to) {
		return struck(this.topology::losesData, from, to);
	}

	/**
	 * Whether two masters may have worked within a time.
	 */
	boolean hadTwoMasters(long from, long to) {
		return struck(this.topology::hasTwoMasters, from, to);
	}

	private boolean struck(Predicate<Fault> which, long from, long to) {
		return this.windows.stream()
			.anyMatch((window) -> which.test(window.fault()) && window.from() <= to && window.to() >= from);
	}

	/**
	 * Whether all that could be felt within a time was such that holds which are renewed
	 * outlast it: no more than one thing that is not brief.
	 */
	boolean isOutlasted(long from, long to) {
		List<Fault> felt = this.windows.stream()
			.filter((window) -> window.from() <= to && end(window) >= from)
			.map(FaultWindow::fault)
			.filter((fault) -> !fault.isBrief())
			.toList();
		return felt.isEmpty() || (felt.size() == 1 && this.topology.isOutlasted(felt.get(0)));
	}

	/**
	 * What was broken at some moment of a time.
	 */
	List<Fault> faults(long from, long to) {
		return this.windows.stream()
			.filter((window) -> window.from() <= to && window.to() >= from)
			.map(FaultWindow::fault)
			.distinct()
			.toList();
	}

}
