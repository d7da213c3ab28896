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

import java.io.PrintStream;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.chaos.Conductor.Result;
import io.holdfast.lock.chaos.History.FaultWindow;

/**
 * Tells in Markdown what a run has brought.
 */
final class Report {

	private static final int SHOWN_VIOLATIONS = 5;

	private final PrintStream out;

	Report(PrintStream out) {
		this.out = out;
	}

	void print(Plan plan, Result result) {
		History history = result.history();
		Findings findings = result.findings();
		long grants = history.attempts().stream().filter(Attempt::granted).count();
		this.out.printf("## %s, %s, seed %d%n%n", plan.library().word(), plan.topology().word(), plan.seed());
		this.out.printf("- time: %d s, of them fault-free: %d s%n", result.time().toSeconds(),
				TimeUnit.NANOSECONDS.toSeconds(findings.faultFreeNanos()));
		this.out.printf("- attempts: %,d%n", history.attempts().size());
		this.out.printf("- grants: %,d (%,d a second)%n", grants, grants / Math.max(result.time().toSeconds(), 1));
		this.out.printf("- losses told: %,d%n", history.losses().size());
		this.out.printf("- writes: %,d, of them refused as too late: %,d%n", history.writes().size(),
				history.writes().stream().filter((write) -> !write.accepted()).count());
		this.out.printf("- two holders after data were lost, which nothing can prevent: %,d%n",
				findings.excusedOverlaps());
		this.out.printf("- holds passed on after that with an older token, which the resource can refuse: %,d%n",
				findings.excusedTokens());
		this.out.printf(
				"- grants with the token of another or one less than 17 us older, while two masters worked: %,d%n",
				findings.excusedTwins());
		this.out.printf("- hand-over between processes in fault-free time: p50 %s, p90 %s, p99 %s, max %s (of %,d)%n",
				millis(findings.handOverNanos(0.5)), millis(findings.handOverNanos(0.9)),
				millis(findings.handOverNanos(0.99)), millis(findings.handOverNanos(1)), findings.handOvers());
		this.out.printf("- longest stall in fault-free time: %s%n", millis(findings.longestFaultFreeStallNanos()));
		this.out.printf("- longest wait in fault-free time: %s%n", millis(findings.longestWaitNanos()));
		this.out.printf("- violations: %d%n%n", findings.violations().size());
		printOutcomes(history);
		printFaults(history.faultWindows(), findings);
		printViolations(findings);
	}

	private static String millis(long nanos) {
		return String.format("%.1f ms", nanos / (double) TimeUnit.MILLISECONDS.toNanos(1));
	}

	private void printOutcomes(History history) {
		Map<Outcome, Long> calls = new EnumMap<>(Outcome.class);
		Map<Outcome, Long> releases = new EnumMap<>(Outcome.class);
		history.attempts().forEach((attempt) -> {
			calls.merge(attempt.outcome(), 1L, Long::sum);
			if (attempt.releaseInvoked() != 0) {
				releases.merge(attempt.release(), 1L, Long::sum);
			}
		});
		this.out.printf("- calls: %s%n- releases: %s%n%n", calls, releases);
	}

	private void printFaults(List<FaultWindow> faultWindows, Findings findings) {
		Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
		faultWindows.forEach((window) -> counts.merge(window.fault(), 1, Integer::sum));
		this.out.printf("| fault | times | longest stall |%n|---|---:|---:|%n");
		counts.forEach((fault, count) -> this.out.printf("| %s | %d | %s |%n", fault.words(), count,
				millis(findings.longestStalls().getOrDefault(fault, 0L))));
		this.out.println();
	}

	private void printViolations(Findings findings) {
		this.out.printf("| property | violations |%n|---|---:|%n");
		for (Property property : Property.values()) {
			this.out.printf("| %s: %s | %d |%n", property, property.words(), findings.violations(property).size());
		}
		this.out.println();
		for (Property property : Property.values()) {
			findings.violations(property)
				.stream()
				.limit(SHOWN_VIOLATIONS)
				.forEach((violation) -> this.out.println("    " + violation));
		}
	}

}
