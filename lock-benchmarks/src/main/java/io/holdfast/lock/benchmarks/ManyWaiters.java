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

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import io.holdfast.lock.benchmarks.libraries.Library.Hold;
import io.holdfast.lock.benchmarks.libraries.Library.Session;
import io.holdfast.lock.benchmarks.libraries.Library.Trait;

/**
 * A queue of 500 on one held lock: what they cost while they wait, and how fast all of
 * them had their turn once the lock is released.
 */
final class ManyWaiters implements Scenario {

	private static final String KEY = "hot";

	private static final int WAITERS = 500;

	private static final int[] PROCESSES = { 1, 4 };

	/**
	 * How long after the release all should have had the lock.
	 */
	private static final Duration GRACE = Duration.ofSeconds(30);

	@Override
	public String name() {
		return "many-waiters";
	}

	@Override
	public Results run(Lab lab) {
		Results results = new Results(WAITERS + " waiters for one key", "redisson", "redisson-fair");
		for (int processes : PROCESSES) {
			lab.eachRound(results, (library) -> library.traits().contains(Trait.WAITS), (library, recorder) -> {
				try (Crew crew = lab.crew(this, library, processes, WAITERS / processes + 1)) {
					Journal journal = new Journal(lab.journal());
					queue(crew, processes, lab.measured().dividedBy(2), journal);
					CrewUsage before = CrewUsage.of(crew);
					long released = System.nanoTime() + lab.measured().multipliedBy(2).toNanos();
					try {
						released = queue(crew, processes, lab.measured().multipliedBy(2), journal);
					}
					catch (Crew.TooSlowException ex) {
						results.note(library.name() + ", " + processes + " processes: not all had the lock within "
								+ GRACE.toSeconds() + " s");
					}
					CrewUsage used = CrewUsage.of(crew).since(before);
					Grants grants = journal.grants();
					Samples handOvers = grants.handOvers();
					double drained = (grants.lastReleaseNanos() - released) / 1e9;
					Map<String, Double> measures = new LinkedHashMap<>();
					measures.put("grants/s", journal.count() / drained);
					measures.put("grants", (double) journal.count());
					measures.put("commands/grant", library.commandsSent(used.calls()) / (double) journal.count());
					measures.put("hand-over p50 µs", handOvers.percentile(50) / 1e3);
					measures.put("p99 µs", handOvers.percentile(99) / 1e3);
					measures.put("last grant ms", drained * 1e3);
					measures.put("client CPU ms", used.clientCpuMicros() / 1e3);
					measures.put("Redis CPU ms", used.redisCpuMicros() / 1e3);
					measures.put("violations", (double) journal.violations());
					recorder.record((processes == 1) ? "1 process" : processes + " processes", measures);
				}
			});
		}
		return results;
	}

	/**
	 * Lets all wait for some time behind one who holds the lock, and then have it once.
	 * @return when it was released
	 */
	private static long queue(Crew crew, int processes, Duration wait, Journal journal) {
		journal.clear();
		long start = System.nanoTime() + 500_000_000;
		long release = start + wait.toNanos();
		crew.run(Numbers.of("waiters", WAITERS / processes).and("start", start).and("release", release),
				wait.plus(GRACE));
		return release;
	}

	@Override
	public Numbers work(Session session, Journal journal, Numbers job) {
		int process = (int) job.get("process");
		int waiters = (int) job.get("waiters");
		int holders = (process == 0) ? 1 : 0;
		Threads.run(waiters + holders, (thread) -> {
			if (thread == waiters) {
				Hold first = session.lock(KEY);
				Threads.sleepUntil(job.get("release"));
				first.unlock();
				return;
			}
			Threads.sleepUntil(job.get("start"));
			long called = System.nanoTime();
			Hold hold = session.lock(KEY);
			journal.granted(process, thread, called);
			journal.releasing(process, thread);
			hold.unlock();
		});
		return Numbers.none();
	}

}
