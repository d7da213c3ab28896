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
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

import io.holdfast.lock.benchmarks.Profile.Part;
import io.holdfast.lock.benchmarks.libraries.Library;
import io.holdfast.lock.benchmarks.libraries.Library.Calls;
import io.holdfast.lock.benchmarks.libraries.Library.Session;

/**
 * What the processor time of a lock and an unlock goes to, where nobody else wants the
 * lock: in the client by a profiler, in Redis by its own count.
 */
final class ProcessorTime implements Scenario {

	private static final int[] THREADS = { 4, 16 };

	@Override
	public String name() {
		return "profile";
	}

	@Override
	public Results run(Lab lab) {
		Results results = new Results("Processor time of a pair on distinct keys, one process, µs");
		lab.eachRound(results, DistinctKeys::takesPart, (library, recorder) -> {
			for (int threads : THREADS) {
				try (Crew crew = lab.crew(this, library, 1, threads)) {
					DistinctKeys.pairs(crew, threads, lab.measured().multipliedBy(5));
					recorder.record(threads + " threads", measure(library, crew, threads, lab.measured()));
				}
			}
		});
		return results;
	}

	private static Map<String, Double> measure(Library library, Crew crew, int threads, Duration time) {
		Calls microsBefore = new Calls(crew.redis().byCommand("usec"));
		CrewUsage before = CrewUsage.of(crew);
		Numbers answer = DistinctKeys.pairs(crew, threads, time);
		CrewUsage used = CrewUsage.of(crew).since(before);
		Calls micros = new Calls(crew.redis().byCommand("usec")).since(microsBefore);
		double pairs = answer.get("pairs");
		Map<String, Double> measures = new LinkedHashMap<>();
		measures.put("pairs/s", pairs / (time.toMillis() / 1000.0));
		measures.put("Redis", used.redisCpuMicros() / pairs);
		measures.put("of it commands", library.commandsSent(micros) / pairs);
		double client = used.clientCpuMicros() / pairs;
		measures.put("client", client);
		double samples = Arrays.stream(Part.values()).mapToLong((part) -> answer.get(part.name())).sum();
		for (Part part : Part.values()) {
			measures.put(part.title, client * answer.get(part.name()) / samples);
		}
		return measures;
	}

	@Override
	public Numbers work(Session session, Journal journal, Numbers job) {
		return Profile.during(() -> DistinctKeys.work(session, job));
	}

}
