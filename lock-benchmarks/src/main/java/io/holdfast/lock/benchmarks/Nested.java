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

import io.holdfast.lock.benchmarks.libraries.Library;
import io.holdfast.lock.benchmarks.libraries.Library.Session;
import io.holdfast.lock.benchmarks.libraries.Library.Trait;

/**
 * A thread locks again what it holds, and unlocks that again.
 */
final class Nested implements Scenario {

	private static final String KEY = "nested";

	private static final long HOLD = 1;

	private static final long NEST = 2;

	private static final int PAIRS = 1_000;

	private static final Duration LIMIT = Duration.ofSeconds(60);

	@Override
	public String name() {
		return "nested";
	}

	@Override
	public Results run(Lab lab) {
		Results results = new Results("Lock and unlock of a lock that the thread holds");
		lab.once(results, Nested::takesPart, (library, recorder) -> {
			Map<String, Double> measures = new LinkedHashMap<>();
			try (RedisServer redis = new RedisServer()) {
				Jmh.run(lab, redis.address(), NestedPair.class, Map.of("library", library.name()))
					.forEach((result) -> measures.put("µs/pair", Jmh.median(result)));
			}
			try (Crew crew = lab.crew(this, library, 1, 1)) {
				crew.run(Numbers.of("do", HOLD), LIMIT);
				int commands = Commands.monitor(crew.redis(), () -> crew.run(Numbers.of("do", NEST), LIMIT)).size();
				measures.put("commands/pair", commands / (double) PAIRS);
			}
			recorder.record("1 thread", measures);
		});
		return results;
	}

	private static boolean takesPart(Library library) {
		return library.traits().contains(Trait.NESTS) && !library.traits().contains(Trait.FAIR);
	}

	@Override
	public Numbers work(Session session, Journal journal, Numbers job) {
		if (job.get("do") == HOLD) {
			session.lock(KEY);
			return Numbers.none();
		}
		for (int i = 0; i < PAIRS; i++) {
			session.lock(KEY).unlock();
		}
		return Numbers.none();
	}

}
