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
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLongArray;

import io.holdfast.lock.benchmarks.libraries.Library.Hold;
import io.holdfast.lock.benchmarks.libraries.Library.Session;
import io.holdfast.lock.benchmarks.libraries.Library.Trait;

/**
 * One lock that many may have at a time: as readers, of which some write, or with one of
 * several permits.
 */
final class Sharing implements Scenario {

	private static final String KEY = "shared";

	private static final int PERMITS = 8;

	private static final Duration GRACE = Duration.ofSeconds(30);

	private final String name;

	private final String title;

	private final Trait trait;

	private final List<Setting> settings;

	private Sharing(String name, String title, Trait trait, Setting... settings) {
		this.name = name;
		this.title = title;
		this.trait = trait;
		this.settings = List.of(settings);
	}

	static Sharing readers() {
		return new Sharing("read-write", "One lock that many read", Trait.READS, new Setting(1, 16, 100),
				new Setting(4, 4, 100), new Setting(4, 4, 90), new Setting(4, 4, 50));
	}

	static Sharing permits() {
		return new Sharing("permits", "One semaphore of " + PERMITS + " permits", Trait.PERMITS, new Setting(1, 16, 0),
				new Setting(4, 4, 0));
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public Results run(Lab lab) {
		Results results = new Results(this.title, "redisson");
		for (Setting setting : this.settings) {
			lab.eachRound(results, (library) -> library.traits().contains(this.trait), (library, recorder) -> {
				try (Crew crew = lab.crew(this, library, setting.processes(), setting.threads())) {
					share(crew, setting, lab.measured());
					CrewUsage before = CrewUsage.of(crew);
					List<Numbers> answers = share(crew, setting, lab.measured());
					CrewUsage used = CrewUsage.of(crew).since(before);
					double grants = answers.stream().mapToLong((each) -> each.get("grants")).sum();
					double writes = answers.stream().mapToLong((each) -> each.get("writes")).sum();
					Map<String, Double> measures = new LinkedHashMap<>();
					measures.put("grants/s", grants / (lab.measured().toMillis() / 1000.0));
					measures.put("writes %", 100 * writes / grants);
					measures.put("commands/grant", library.commandsSent(used.calls()) / grants);
					measures.put("longest wait ms",
							answers.stream().mapToLong((each) -> each.get("longest")).max().orElse(0) / 1e6);
					measures.put("client CPU µs/grant", used.clientCpuMicros() / grants);
					measures.put("Redis CPU µs/grant", used.redisCpuMicros() / grants);
					recorder.record(describe(setting), measures);
				}
			});
		}
		return results;
	}

	private String describe(Setting setting) {
		return setting.processes() + " x " + setting.threads() + " threads"
				+ ((this.trait == Trait.READS) ? ", " + setting.reads() + " % read" : "");
	}

	private static List<Numbers> share(Crew crew, Setting setting, Duration time) {
		long start = System.nanoTime() + 50_000_000;
		return crew.run(Numbers.of("threads", setting.threads())
			.and("reads", setting.reads())
			.and("start", start)
			.and("end", start + time.toNanos()), time.plus(GRACE));
	}

	@Override
	public Numbers work(Session session, Journal journal, Numbers job) {
		int threads = (int) job.get("threads");
		long end = job.get("end");
		long reads = job.get("reads");
		AtomicLongArray sums = new AtomicLongArray(3);
		Threads.run(threads, (thread) -> {
			Threads.sleepUntil(job.get("start"));
			long grants = 0;
			long writes = 0;
			long longest = 0;
			for (long called = System.nanoTime(); called < end; grants++) {
				boolean write = this.trait == Trait.READS && ThreadLocalRandom.current().nextInt(100) >= reads;
				Hold hold = (this.trait == Trait.PERMITS) ? session.permit(KEY, PERMITS)
						: write ? session.write(KEY) : session.read(KEY);
				longest = Math.max(longest, System.nanoTime() - called);
				writes += write ? 1 : 0;
				hold.unlock();
				called = System.nanoTime();
			}
			sums.addAndGet(0, grants);
			sums.addAndGet(1, writes);
			sums.accumulateAndGet(2, longest, Math::max);
		});
		return Numbers.of("grants", sums.get(0)).and("writes", sums.get(1)).and("longest", sums.get(2));
	}

	private record Setting(int processes, int threads, int reads) {
	}

}
