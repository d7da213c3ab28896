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
import java.util.function.Predicate;

import io.holdfast.lock.benchmarks.libraries.Library;
import io.holdfast.lock.benchmarks.libraries.Library.Hold;
import io.holdfast.lock.benchmarks.libraries.Library.Session;
import io.holdfast.lock.benchmarks.libraries.Library.Trait;

/**
 * One lock that everybody wants: all threads of all processes lock and unlock it, with
 * nothing or 1 ms of work in between.
 */
final class HotKey implements Scenario {

	private static final String KEY = "hot";

	/**
	 * A request overtook another only if it was made so much later.
	 */
	private static final Duration CLEARLY_LATER = Duration.ofMillis(2);

	/**
	 * How long threads may go on waiting after the end.
	 */
	private static final Duration GRACE = Duration.ofSeconds(20);

	private final String name;

	private final String title;

	private final String[] references;

	private final Predicate<Library> takesPart;

	private final List<Setting> settings;

	private HotKey(String name, String title, List<String> references, Predicate<Library> takesPart,
			Setting... settings) {
		this.name = name;
		this.title = title;
		this.references = references.toArray(String[]::new);
		this.takesPart = takesPart;
		this.settings = List.of(settings);
	}

	static HotKey oneProcess() {
		return new HotKey("hot-key-local", "One hot key, one process", List.of("redisson"), HotKey::waitsUnfairly,
				new Setting(1, 8, Duration.ZERO), new Setting(1, 32, Duration.ZERO));
	}

	static HotKey fourProcesses() {
		return new HotKey("hot-key", "One hot key, four processes", List.of("redisson"), HotKey::waitsUnfairly,
				new Setting(4, 4, Duration.ZERO), new Setting(4, 4, Duration.ofMillis(1)));
	}

	static HotKey fair() {
		return new HotKey("fair", "One hot key, fair locks", List.of("raw-queue", "redisson-fair"),
				(library) -> library.traits().contains(Trait.FAIR), new Setting(1, 8, Duration.ZERO),
				new Setting(4, 4, Duration.ZERO), new Setting(4, 4, Duration.ofMillis(1)));
	}

	private static boolean waitsUnfairly(Library library) {
		return library.traits().contains(Trait.WAITS) && !library.traits().contains(Trait.FAIR);
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public Results run(Lab lab) {
		Results results = new Results(this.title, this.references);
		for (Setting setting : this.settings) {
			lab.eachRound(results, this.takesPart, (library, recorder) -> {
				try (Crew crew = lab.crew(this, library, setting.processes(), setting.threads())) {
					contend(crew, setting, lab.measured(), new Journal(lab.journal()));
					measure(lab, crew, setting, library, results, recorder);
				}
			});
		}
		return results;
	}

	private void measure(Lab lab, Crew crew, Setting setting, Library library, Results results,
			Results.Recorder recorder) {
		Journal journal = new Journal(lab.journal());
		CrewUsage before = CrewUsage.of(crew);
		long end = System.nanoTime();
		try {
			end = contend(crew, setting, lab.measured(), journal);
		}
		catch (Crew.TooSlowException ex) {
			results.note(library.name() + ", " + setting + ": threads still waited " + GRACE.toSeconds()
					+ " s after all others had ended");
			end += lab.measured().toNanos();
		}
		CrewUsage used = CrewUsage.of(crew).since(before);
		Grants grants = journal.grants();
		Samples between = grants.handOversBetweenProcesses();
		double count = journal.count();
		Map<String, Double> measures = new LinkedHashMap<>();
		measures.put("grants/s", grants.before(end) / (lab.measured().toMillis() / 1000.0));
		measures.put("commands/grant", library.commandsSent(used.calls()) / count);
		if (setting.processes() > 1) {
			measures.put("hand-over p50 µs", between.percentile(50) / 1e3);
			measures.put("p99 µs", between.percentile(99) / 1e3);
			measures.put("changes of process %", 100 * between.size() / count);
			measures.put("process shares", grants.processShares(setting.processes(), end));
		}
		measures.put("thread shares", grants.threadShares(setting.processes() * setting.threads(), end));
		measures.put("longest wait ms", grants.longestWaitNanos() / 1e6);
		measures.put("overtakings %", 100 * grants.inversions(CLEARLY_LATER.toNanos()) / count);
		measures.put("client CPU µs/grant", used.clientCpuMicros() / count);
		measures.put("Redis CPU µs/grant", used.redisCpuMicros() / count);
		measures.put("violations", (double) journal.violations());
		recorder.record(setting.toString(), measures);
	}

	/**
	 * Lets all threads contend.
	 * @return when the time was over
	 */
	private static long contend(Crew crew, Setting setting, Duration time, Journal journal) {
		journal.clear();
		long start = System.nanoTime() + 50_000_000;
		long end = start + time.toNanos();
		crew.run(Numbers.of("threads", setting.threads())
			.and("work", setting.work().toNanos())
			.and("start", start)
			.and("end", end), time.plus(GRACE));
		return end;
	}

	@Override
	public Numbers work(Session session, Journal journal, Numbers job) {
		int process = (int) job.get("process");
		long end = job.get("end");
		long work = job.get("work");
		Threads.run((int) job.get("threads"), (thread) -> {
			Threads.sleepUntil(job.get("start"));
			for (long called = System.nanoTime(); called < end; called = System.nanoTime()) {
				Hold hold = session.lock(KEY);
				journal.granted(process, thread, called);
				if (work > 0) {
					Threads.sleepUntil(System.nanoTime() + work);
				}
				journal.releasing(process, thread);
				hold.unlock();
			}
		});
		return Numbers.none();
	}

	private record Setting(int processes, int threads, Duration work) {

		@Override
		public String toString() {
			return this.processes + " x " + this.threads + " threads, " + this.work.toMillis() + " ms of work";
		}

	}

}
