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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.lock.chaos.Attempt.Anomaly;
import io.holdfast.lock.chaos.History.Loss;
import io.holdfast.lock.chaos.History.Remains;
import io.holdfast.lock.chaos.History.Write;
import org.jspecify.annotations.Nullable;

/**
 * Looks for violations in a history. Knows what locks promise, and nothing of how they
 * work: tokens and times are enough, so it needs no search and looks at a million grants
 * in seconds. What is not known (a call that has not ended, a process that was killed)
 * counts for the library.
 */
final class Checker {

	private static final long ACQUIRABLE_NANOS = Duration.ofSeconds(1).toNanos();

	private final History history;

	private final Promises promises;

	private final FaultWindows windows;

	private final Map<Integer, Long> deaths;

	/**
	 * By process, lock and token.
	 */
	private final Map<List<Long>, List<Loss>> losses = new HashMap<>();

	private final Findings findings = new Findings();

	private Checker(History history, Promises promises) {
		this.history = history;
		this.promises = promises;
		this.windows = new FaultWindows(history.faultWindows(), promises.topology());
		this.deaths = history.deaths();
		history.losses()
			.forEach((loss) -> this.losses
				.computeIfAbsent(List.of((long) loss.process(), loss.lock(), loss.token()), (key) -> new ArrayList<>())
				.add(loss));
	}

	static Findings check(History history, Promises promises) {
		return new Checker(history, promises).check();
	}

	private Findings check() {
		Map<Long, List<Attempt>> grants = this.history.grantsByLock();
		new TokenCheck(this.promises, this.windows, this.findings).check(grants, this.history.writes());
		History.byLock(this.history.writes(), Write::lock).forEach(this::checkResource);
		grants.values().forEach(this::checkExclusion);
		checkHonesty();
		this.history.remains().forEach(this::checkRemains);
		new SingleCheck(this.history, this.promises, this.windows, this.deaths, this.findings).check();
		this.history.attempts().forEach(this::checkKept);
		new WaitCheck(this.history, this.promises, this.windows, this.deaths, this.findings).check(grants);
		this.history.attempts().forEach(this::checkCalls);
		this.history.attempts().forEach(this::checkDepth);
		this.history.attempts()
			.stream()
			.mapToLong(Attempt::invoked)
			.min()
			.ifPresent((from) -> this.findings.faultFree(this.windows.faultFreeNanos(from, this.history.until())));
		return this.findings;
	}

	/**
	 * P3. The resource refuses what is too old, so this checks the resource, and that
	 * what it refused was too old.
	 */
	private void checkResource(long lock, List<Write> writes) {
		long highest = 0;
		for (Write write : writes) {
			if (write.token() == 0) {
				continue;
			}
			if (write.accepted() && write.token() < highest) {
				this.findings.add(Property.P3, lock, write.at(), "took token " + write.token() + " after " + highest);
			}
			else if (!write.accepted() && write.token() >= highest) {
				this.findings.add(Property.P3, lock, write.at(), "refused token " + write.token() + ", the largest");
			}
			highest = Math.max(highest, write.token());
		}
	}

	/**
	 * P4.
	 */
	private void checkExclusion(List<Attempt> grants) {
		List<Attempt> holders = new ArrayList<>();
		for (Attempt grant : grants) {
			if (grant.has(Anomaly.HELD_AFTER_REFUSAL) && !isOvertaken(grant, grants)) {
				overlap(grant, grant, "held after the resource had seen a later grant");
			}
			holders.removeIf((each) -> heldUntil(each) <= grant.ended());
			holders.stream()
				.filter((each) -> each.mode().excludes(grant.mode()))
				.max(Comparator.comparingLong(this::heldUntil))
				.ifPresent((holder) -> overlap(holder, grant,
						"held until " + heldUntil(holder) + " by " + holder + " and by " + grant));
			holders.add(grant);
			if (grant.mode().isPermits()) {
				checkPermits(holders.stream().filter((each) -> each.mode().isPermits()).toList(), grant);
			}
		}
	}

	private void checkPermits(List<Attempt> holders, Attempt latest) {
		int used = holders.stream().mapToInt((each) -> each.mode().permits()).sum();
		if (used > Mode.PERMITS) {
			overlap(holders.get(0), latest, used + " permits are in use, by " + holders);
		}
	}

	/**
	 * Who was told of a loss before its time does not believe in the hold any more.
	 */
	private long heldUntil(Attempt grant) {
		Loss loss = lossOf(grant);
		return (loss != null && grant.release() != Outcome.DONE)
				? Math.max(Math.min(grant.heldUntil(), loss.at()), grant.ended()) : grant.heldUntil();
	}

	private @Nullable Loss lossOf(Attempt grant) {
		// Readers of one client share a token, and may lose it one after the other.
		return this.losses.getOrDefault(List.of((long) grant.process(), grant.lock(), grant.token()), List.of())
			.stream()
			.filter((loss) -> loss.at() >= grant.invoked())
			.findFirst()
			.orElse(null);
	}

	/**
	 * Whether what the resource had seen may be an earlier grant with a larger token:
	 * that is P2.
	 */
	private static boolean isOvertaken(Attempt grant, List<Attempt> grants) {
		return grants.stream().anyMatch((each) -> each.token() > grant.token() && each.ended() < grant.invoked());
	}

	private void overlap(Attempt first, Attempt second, String what) {
		if (this.windows.lostData(this.promises.grantedSince(first), second.ended())) {
			this.findings.excuseOverlap();
		}
		else {
			this.findings.add(Property.P4, second.lock(), second.ended(), what);
		}
	}

	/**
	 * P5.
	 */
	private void checkHonesty() {
		for (Attempt attempt : this.history.attempts()) {
			if (!attempt.granted()) {
				continue;
			}
			if (attempt.has(Anomaly.HELD_AGAIN)) {
				this.findings.add(Property.P5, attempt.lock(), attempt.denied(), "held again: " + attempt);
			}
			Loss loss = lossOf(attempt);
			boolean told = loss != null && attempt.mode() != Mode.READER;
			if (attempt.release() == Outcome.DONE && (attempt.denied() != 0 || told)) {
				this.findings.add(Property.P5, attempt.lock(), attempt.releaseEnded(),
						"released as if it was held: " + attempt + ", loss told: " + (loss != null));
			}
			boolean lost = attempt.denied() != 0 || attempt.release() == Outcome.LOST;
			if (lost && loss == null && this.promises.complete()) {
				checkTold(attempt);
			}
		}
	}

	private void checkTold(Attempt attempt) {
		long knownAt = (attempt.denied() != 0) ? attempt.denied() : attempt.releaseEnded();
		if (this.windows.faultFreeNanos(knownAt, endOf(attempt.process())) > this.promises.tellNanos()) {
			this.findings.add(Property.P5, attempt.lock(), knownAt, "nobody was told of the loss: " + attempt);
		}
	}

	/**
	 * P6.
	 */
	private void checkRemains(Remains remains) {
		long faultFree = this.windows.faultFreeNanos(remains.at() - remains.acquireNanos(), remains.at());
		if (remains.acquireNanos() < 0 || faultFree > ACQUIRABLE_NANOS) {
			this.findings.add(Property.P6, remains.lock(), remains.at(), (remains.acquireNanos() < 0)
					? "cannot be acquired" : "took " + Duration.ofNanos(remains.acquireNanos()) + " to acquire");
		}
		if (remains.residue() > 0) {
			this.findings.add(Property.P6, remains.lock(), remains.at(), remains.residue() + " thing(s) remain");
		}
	}

	/**
	 * P6: a hold that is renewed ends only if something keeps it from that for long.
	 */
	private void checkKept(Attempt attempt) {
		boolean lost = attempt.denied() != 0 || attempt.release() == Outcome.LOST;
		if (!attempt.granted() || !attempt.watched() || !lost) {
			return;
		}
		long at = (attempt.denied() != 0) ? attempt.denied() : attempt.releaseEnded();
		if (this.windows.isOutlasted(attempt.ended(), at)) {
			this.findings.add(Property.P6, attempt.lock(), at, "lost for no reason: " + attempt);
		}
	}

	/**
	 * P10.
	 */
	private void checkCalls(Attempt attempt) {
		long end = endOf(attempt.process());
		if (attempt.outcome() == Outcome.UNDOCUMENTED || attempt.release() == Outcome.UNDOCUMENTED) {
			this.findings.add(Property.P10, attempt.lock(), attempt.invoked(), "undocumented end of " + attempt);
		}
		if (attempt.waitNanos() < Long.MAX_VALUE / 2) {
			checkCall(attempt, attempt.invoked() + attempt.waitNanos(), (attempt.ended() != 0) ? attempt.ended() : end);
		}
		if (attempt.releaseInvoked() != 0) {
			checkCall(attempt, attempt.releaseInvoked(), (attempt.releaseEnded() != 0) ? attempt.releaseEnded() : end);
		}
	}

	private void checkCall(Attempt attempt, long due, long ended) {
		if (ended - due > this.promises.callNanos()
				&& this.windows.faultFreeNanos(due, ended) > this.promises.callNanos()) {
			this.findings.add(Property.P10, attempt.lock(), ended,
					"took " + Duration.ofNanos(ended - due) + " too long: " + attempt);
		}
	}

	/**
	 * P11.
	 */
	private void checkDepth(Attempt attempt) {
		if (attempt.has(Anomaly.WRONG_HOLD_COUNT) || attempt.has(Anomaly.HELD_AFTER_RELEASE)
				|| attempt.release() == Outcome.NOT_OWNER) {
			this.findings.add(Property.P11, attempt.lock(), attempt.ended(), "wrong depth: " + attempt);
		}
	}

	private long endOf(int process) {
		return Math.min(this.deaths.getOrDefault(process, Long.MAX_VALUE), this.history.until());
	}

}
