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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeSet;
import java.util.stream.LongStream;

import org.jspecify.annotations.Nullable;

/**
 * P8, P9 and P12: a free lock does not stay free while somebody waits for it, fair locks
 * go to those who came first, and nobody waits for long. Only fault-free time counts.
 */
final class WaitCheck {

	/**
	 * Shorter stalls are not looked at.
	 */
	private static final long NOTABLE_NANOS = 20_000_000;

	/**
	 * What nine of ten hand-overs take at most in fault-free time, if there are enough of
	 * them to tell.
	 */
	private static final long USUAL_NANOS = 100_000_000;

	private static final int ENOUGH = 100;

	private static final Comparator<Attempt> BY_CALL = Comparator.comparingLong(Attempt::invoked)
		.thenComparingInt(Attempt::process)
		.thenComparingInt(Attempt::record);

	private final History history;

	private final Promises promises;

	private final FaultWindows windows;

	private final Map<Integer, Long> deaths;

	private final Findings findings;

	WaitCheck(History history, Promises promises, FaultWindows windows, Map<Integer, Long> deaths, Findings findings) {
		this.history = history;
		this.promises = promises;
		this.windows = windows;
		this.deaths = deaths;
		this.findings = findings;
	}

	void check(Map<Long, List<Attempt>> grantsByLock) {
		List<Attempt> waits = this.history.attempts().stream().filter((each) -> each.waitNanos() > 0).toList();
		LongStream.Builder handOvers = LongStream.builder();
		History.byLock(waits, Attempt::lock).forEach((lock, waiting) -> {
			List<Attempt> grants = grantsByLock.getOrDefault(lock, List.of());
			if (!this.promises.topology().votes()) {
				waiting.forEach(this::checkPatience);
			}
			checkStalls(lock, grants, waiting);
			checkOrder(grants, waiting.stream().filter(Attempt::fair).toList());
			measureHandOvers(grants, handOvers);
		});
		this.findings.handOvers(handOvers.build().sorted().toArray());
		if (!this.promises.topology().votes() && this.findings.handOvers() >= ENOUGH
				&& this.findings.handOverNanos(0.9) > USUAL_NANOS) {
			this.findings.add(Property.P8, 0, this.history.until(),
					"one in ten hand-overs takes more than " + this.findings.handOverNanos(0.9) / 1_000_000 + " ms");
		}
	}

	/**
	 * P12.
	 */
	private void checkPatience(Attempt waiter) {
		long waited = this.windows.faultFreeNanos(waiter.invoked(), endOf(waiter));
		this.findings.waited(waited);
		if (waited > this.promises.patienceNanos()) {
			this.findings.add(Property.P12, waiter.lock(), endOf(waiter),
					"waited for " + waited / 1_000_000 + " ms of fault-free time: " + waiter);
		}
	}

	private void checkStalls(long lock, List<Attempt> grants, List<Attempt> waiting) {
		Waiters waiters = new Waiters(waiting);
		long freeFrom = waiting.get(0).invoked();
		for (Attempt grant : grants) {
			if (grant.ended() > freeFrom) {
				checkStall(lock, waiters, freeFrom, grant.ended());
			}
			freeFrom = Math.max(freeFrom, grant.heldUntil());
		}
		if (this.history.until() > freeFrom) {
			checkStall(lock, waiters, freeFrom, this.history.until());
		}
	}

	private void checkStall(long lock, Waiters waiters, long freeFrom, long freeTo) {
		for (Attempt waiter : waiters.during(freeFrom, freeTo)) {
			long from = Math.max(freeFrom, waiter.invoked());
			long to = Math.min(freeTo, endOf(waiter));
			if (to - from < NOTABLE_NANOS) {
				continue;
			}
			this.findings.stalled(this.windows.faults(from, to), to - from);
			long faultFree = this.windows.faultFreeNanos(from, to);
			if (faultFree > this.promises.handOverNanos()) {
				this.findings.add(Property.P8, lock, to, "free for " + (to - from) / 1_000_000 + " ms, "
						+ faultFree / 1_000_000 + " ms of them in fault-free time, while " + waiter + " waited");
				return;
			}
		}
	}

	/**
	 * P9. A place may be lost after the waiter time-out, so who came less than that
	 * before another has no claim. Nor has who wants so short a lease that it may be over
	 * before its owner knows of it. Those who hold it together may learn of it in any
	 * order.
	 */
	private void checkOrder(List<Attempt> grants, List<Attempt> waiting) {
		Waiters waiters = new Waiters(waiting);
		long claim = this.promises.waiterTimeout().toNanos();
		for (Attempt grant : grants) {
			if (!grant.fair() || grant.waitNanos() == 0) {
				continue;
			}
			Attempt first = waiters.firstAt(grant.ended());
			if (first != null && first.invoked() + claim < grant.invoked() && !areTogether(first, grant)
					&& this.windows.isFaultFree(first.invoked() - claim, grant.ended())) {
				this.findings.add(Property.P9, grant.lock(), grant.ended(), grant + " overtook " + first);
			}
		}
	}

	private boolean areTogether(Attempt first, Attempt grant) {
		return !first.mode().excludes(grant.mode()) && first.granted()
				&& first.ended() - grant.ended() < this.promises.slack().toNanos();
	}

	private void measureHandOvers(List<Attempt> grants, LongStream.Builder handOvers) {
		for (int i = 1; i < grants.size(); i++) {
			Attempt from = grants.get(i - 1);
			Attempt to = grants.get(i);
			long freed = from.releaseInvoked();
			if (from.mode() == Mode.ALONE && from.process() != to.process() && from.release() == Outcome.DONE
					&& to.invoked() < freed && to.ended() > freed && this.windows.isFaultFree(freed, to.ended())) {
				handOvers.add(to.ended() - freed);
			}
		}
	}

	private long endOf(Attempt attempt) {
		if (attempt.ended() != 0) {
			return attempt.ended();
		}
		return Math.min(this.deaths.getOrDefault(attempt.process(), Long.MAX_VALUE), this.history.until());
	}

	/**
	 * Who waits, as time goes on.
	 */
	private final class Waiters {

		private final List<Attempt> coming;

		private int come;

		private final TreeSet<Attempt> here = new TreeSet<>(BY_CALL);

		private final PriorityQueue<Attempt> leaving = new PriorityQueue<>(
				Comparator.comparingLong(WaitCheck.this::endOf));

		Waiters(List<Attempt> byCall) {
			this.coming = byCall;
		}

		private void comeBefore(long at) {
			while (this.come < this.coming.size() && this.coming.get(this.come).invoked() < at) {
				Attempt waiter = this.coming.get(this.come++);
				this.here.add(waiter);
				this.leaving.add(waiter);
			}
		}

		private List<Attempt> leaveUntil(long at) {
			List<Attempt> left = new ArrayList<>();
			while (!this.leaving.isEmpty() && endOf(this.leaving.peek()) <= at) {
				Attempt waiter = this.leaving.remove();
				this.here.remove(waiter);
				left.add(waiter);
			}
			return left;
		}

		/**
		 * Those who left within a time, and of the others the one that waits for longest.
		 */
		List<Attempt> during(long from, long to) {
			comeBefore(to);
			leaveUntil(from);
			List<Attempt> during = leaveUntil(to);
			if (!this.here.isEmpty()) {
				during.add(this.here.first());
			}
			return during;
		}

		/**
		 * Who waits for longest.
		 */
		@Nullable Attempt firstAt(long at) {
			comeBefore(at);
			leaveUntil(at);
			return this.here.isEmpty() ? null : this.here.first();
		}

	}

}
