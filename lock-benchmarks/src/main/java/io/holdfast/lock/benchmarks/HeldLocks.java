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
import java.util.Locale;
import java.util.Map;

import io.holdfast.lock.benchmarks.libraries.Library;
import io.holdfast.lock.benchmarks.libraries.Library.Session;
import io.holdfast.lock.benchmarks.libraries.Library.Trait;

/**
 * Renewal: one thread holds many locks for longer than their lease.
 */
final class HeldLocks implements Scenario {

	private static final int[] LOCKS = { 10_000, 100_000 };

	private static final int[] QUICK_LOCKS = { 1_000 };

	private static final int WARM_UP_LOCKS = 1_000;

	/**
	 * Longer than the lease, so that a lock that is not renewed is seen to be lost.
	 */
	private static final Duration WINDOW = Duration.ofSeconds(32);

	private static final Duration QUICK_WINDOW = Duration.ofSeconds(11);

	private static final Duration LIMIT = Duration.ofMinutes(2);

	@Override
	public String name() {
		return "held-locks";
	}

	@Override
	public Results run(Lab lab) {
		Results results = new Results("Held locks that are renewed");
		Duration window = lab.quick() ? QUICK_WINDOW : WINDOW;
		for (int locks : lab.quick() ? QUICK_LOCKS : LOCKS) {
			lab.once(results, HeldLocks::takesPart, (library, recorder) -> {
				try (Crew crew = lab.crew(this, library, 1, 16)) {
					long bytesBefore = crew.redis().memoryBytes();
					Numbers heap = crew.run(Numbers.of("locks", locks), LIMIT).get(0);
					double bytes = crew.redis().memoryBytes() - bytesBefore;
					CrewUsage before = CrewUsage.of(crew);
					Threads.sleepUntil(System.nanoTime() + window.toNanos());
					CrewUsage used = CrewUsage.of(crew).since(before);
					Map<String, Double> measures = new LinkedHashMap<>();
					measures.put("acquired/s", locks / (heap.get("nanos") / 1e9));
					measures.put("commands/10 s", 10 * library.commandsSent(used.calls()) / used.seconds());
					measures.put("client CPU ms/s", used.clientCpuMicros() / 1e3 / used.seconds());
					measures.put("Redis CPU ms/s", used.redisCpuMicros() / 1e3 / used.seconds());
					measures.put("lost", (double) locks - crew.redis().size());
					measures.put("heap bytes/lock", (double) heap.get("bytes") / locks);
					measures.put("Redis bytes/lock", bytes / locks);
					recorder.record(String.format(Locale.ROOT, "%,d locks, %d s", locks, window.toSeconds()), measures);
				}
			});
		}
		return results;
	}

	private static boolean takesPart(Library library) {
		return library.traits().contains(Trait.RENEWS) && !library.traits().contains(Trait.FAIR);
	}

	@Override
	public Numbers work(Session session, Journal journal, Numbers job) {
		for (int i = 0; i < WARM_UP_LOCKS; i++) {
			session.lock("held:" + i).unlock();
		}
		long before = Heap.usedBytes();
		long begin = System.nanoTime();
		for (int i = 0; i < job.get("locks"); i++) {
			session.lock("held:" + i);
		}
		long nanos = System.nanoTime() - begin;
		return Numbers.of("bytes", Heap.usedBytes() - before).and("nanos", nanos);
	}

}
