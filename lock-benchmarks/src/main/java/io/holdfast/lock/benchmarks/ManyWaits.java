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
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.holdfast.lock.benchmarks.libraries.Library.Session;
import io.holdfast.lock.benchmarks.libraries.Library.Trait;

/**
 * Waiting itself: one process holds 300 locks, and in another 300 threads wait, each for
 * one of them.
 */
final class ManyWaits implements Scenario {

	private static final int LOCKS = 300;

	private static final long HOLD = 1;

	private static final long WAIT = 2;

	private static final long COUNT = 3;

	private static final Duration LIMIT = Duration.ofSeconds(60);

	private List<Thread> waiting = List.of();

	@Override
	public String name() {
		return "many-waits";
	}

	@Override
	public Results run(Lab lab) {
		Results results = new Results(LOCKS + " threads that wait for " + LOCKS + " held locks");
		Duration window = lab.measured().multipliedBy(5);
		lab.once(results, (library) -> library.traits().contains(Trait.WAITS), (library, recorder) -> {
			try (Crew crew = lab.crew(this, library, 2, LOCKS)) {
				crew.run(Numbers.of("do", HOLD), LIMIT);
				crew.run(Numbers.of("do", WAIT), LIMIT);
				Threads.sleepUntil(System.nanoTime() + 3_000_000_000L);
				CrewUsage before = CrewUsage.of(crew);
				Threads.sleepUntil(System.nanoTime() + window.toNanos());
				CrewUsage used = CrewUsage.of(crew).since(before);
				List<Numbers> answers = crew.run(Numbers.of("do", COUNT), LIMIT);
				Map<String, Double> measures = new LinkedHashMap<>();
				measures.put("commands/s", library.commandsSent(used.calls()) / used.seconds());
				measures.put("client CPU ms/s", used.clientCpuMicros() / 1e3 / used.seconds());
				measures.put("Redis CPU ms/s", used.redisCpuMicros() / 1e3 / used.seconds());
				measures.put("still waiting", (double) answers.get(1).get("waiting"));
				recorder.record("both processes together, " + window.toSeconds() + " s", measures);
			}
		});
		return results;
	}

	@Override
	public Numbers work(Session session, Journal journal, Numbers job) {
		boolean holder = job.get("process") == 0;
		if (job.get("do") == HOLD && holder) {
			IntStream.range(0, LOCKS).forEach((lock) -> session.lock("held:" + lock));
		}
		if (job.get("do") == WAIT && !holder) {
			this.waiting = IntStream.range(0, LOCKS)
				.mapToObj((number) -> Threads.start(number, (lock) -> session.lock("held:" + lock),
						new AtomicReference<>()))
				.toList();
		}
		return Numbers.of("waiting", this.waiting.stream().filter(Thread::isAlive).count());
	}

}
