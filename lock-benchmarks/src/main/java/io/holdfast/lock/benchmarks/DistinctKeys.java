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
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.holdfast.lock.benchmarks.libraries.Library;
import io.holdfast.lock.benchmarks.libraries.Library.Session;
import io.holdfast.lock.benchmarks.libraries.Library.Trait;

/**
 * Locks that nobody else wants: each thread of one process locks and unlocks keys of its
 * own.
 */
final class DistinctKeys implements Scenario {

	private static final int[] THREADS = { 1, 4, 16, 64 };

	private static final int KEYS_PER_THREAD = 1_000;

	private static final Duration GRACE = Duration.ofSeconds(30);

	@Override
	public String name() {
		return "distinct-keys";
	}

	@Override
	public Results run(Lab lab) {
		Results results = new Results("Lock and unlock on distinct keys, one process", "raw-jedis", "raw-lettuce");
		lab.eachRound(results, DistinctKeys::takesPart, (library, recorder) -> {
			try (Crew crew = lab.crew(this, library, 1, 64)) {
				// Long, because compiling takes the processors that the threads need.
				pairs(crew, 16, lab.measured().multipliedBy(5));
				for (int threads : THREADS) {
					pairs(crew, threads, lab.measured().dividedBy(4));
					CrewUsage before = CrewUsage.of(crew);
					Numbers answer = pairs(crew, threads, lab.measured());
					CrewUsage used = CrewUsage.of(crew).since(before);
					double pairs = answer.get("pairs");
					Map<String, Double> measures = new LinkedHashMap<>();
					measures.put("pairs/s", pairs / (lab.measured().toMillis() / 1000.0));
					measures.put("p50 µs", answer.get("p50") / 1e3);
					measures.put("p99 µs", answer.get("p99") / 1e3);
					measures.put("commands/pair", library.commandsSent(used.calls()) / pairs);
					measures.put("bytes/pair", used.networkBytes() / pairs);
					measures.put("client CPU µs/pair", used.clientCpuMicros() / pairs);
					measures.put("Redis CPU µs/pair", used.redisCpuMicros() / pairs);
					recorder.record(threads + ((threads == 1) ? " thread" : " threads"), measures);
				}
			}
		});
		return results;
	}

	static boolean takesPart(Library library) {
		return !library.traits().contains(Trait.FAIR) && !library.traits().contains(Trait.ONLY_RENEWS);
	}

	/**
	 * Has the one worker of a crew lock and unlock for some time.
	 */
	static Numbers pairs(Crew crew, int threads, Duration time) {
		long start = System.nanoTime() + 50_000_000;
		Numbers job = Numbers.of("threads", threads).and("start", start).and("end", start + time.toNanos());
		return crew.run(job, time.plus(GRACE)).get(0);
	}

	@Override
	public Numbers work(Session session, Journal journal, Numbers job) {
		return work(session, job);
	}

	static Numbers work(Session session, Numbers job) {
		int threads = (int) job.get("threads");
		long end = job.get("end");
		List<Samples> samples = Stream.generate(Samples::new).limit(threads).toList();
		Threads.run(threads, (thread) -> {
			Threads.sleepUntil(job.get("start"));
			long i = 0;
			for (long called = System.nanoTime(); called < end; called = System.nanoTime()) {
				session.lock("thread:" + thread + ":" + i++ % KEYS_PER_THREAD).unlock();
				samples.get(thread).add(System.nanoTime() - called);
			}
		});
		Samples all = Samples.merge(samples);
		return Numbers.of("pairs", all.size()).and("p50", all.percentile(50)).and("p99", all.percentile(99));
	}

}
