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
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.lock.benchmarks.libraries.Library;
import io.holdfast.lock.benchmarks.libraries.Library.Session;
import io.holdfast.lock.benchmarks.libraries.Library.Trait;

/**
 * What keys leave behind that were locked and unlocked once each: a million, or as many
 * as the system property {@code keys} says.
 */
final class ManyKeys implements Scenario {

	private static final int THREADS = 16;

	private static final long WARM_UP_KEYS = 10_000;

	private static final Duration LIMIT = Duration.ofHours(1);

	@Override
	public String name() {
		return "many-keys";
	}

	@Override
	public Results run(Lab lab) {
		long keys = Long.getLong("keys", lab.quick() ? 20_000 : 1_000_000);
		Results results = new Results("Different keys, locked once each");
		lab.once(results, ManyKeys::takesPart, (library, recorder) -> {
			try (Crew crew = lab.crew(this, library, 1, THREADS)) {
				long bytesBefore = crew.redis().memoryBytes();
				Numbers answer = crew.run(Numbers.of("keys", keys), LIMIT).get(0);
				Map<String, Double> measures = new LinkedHashMap<>();
				measures.put("heap before MB", answer.get("before") / 1e6);
				measures.put("heap after MB", answer.get("after") / 1e6);
				measures.put("heap bytes/key", (answer.get("after") - answer.get("before")) / (double) keys);
				measures.put("keys left in Redis", (double) crew.redis().size());
				measures.put("Redis MB", (crew.redis().memoryBytes() - bytesBefore) / 1e6);
				measures.put("seconds", answer.get("nanos") / 1e9);
				recorder.record(String.format(Locale.ROOT, "%,d keys, %d threads", keys, THREADS), measures);
			}
		});
		return results;
	}

	private static boolean takesPart(Library library) {
		return !library.traits().contains(Trait.FAIR) && !library.traits().contains(Trait.ONLY_RENEWS);
	}

	@Override
	public Numbers work(Session session, Journal journal, Numbers job) {
		lock(session, "warm-up:", WARM_UP_KEYS);
		long before = Heap.usedBytes();
		long start = System.nanoTime();
		lock(session, "key:", job.get("keys"));
		long nanos = System.nanoTime() - start;
		return Numbers.of("before", before).and("after", Heap.usedBytes()).and("nanos", nanos);
	}

	private static void lock(Session session, String prefix, long keys) {
		AtomicLong next = new AtomicLong();
		Threads.run(THREADS, (thread) -> {
			for (long key = next.getAndIncrement(); key < keys; key = next.getAndIncrement()) {
				session.lock(prefix + key).unlock();
			}
		});
	}

}
