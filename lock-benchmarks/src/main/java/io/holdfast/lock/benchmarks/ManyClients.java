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

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.benchmarks.libraries.SpringDriver;

/**
 * A fleet: clients of ours, each with one thread, lock one key in turn and have nothing
 * to do under it, so that every grant is a hand-over from one client to another.
 */
@SuppressWarnings("LockNotBeforeTry")
final class ManyClients implements Scenario {

	private static final String KEY = "hot";

	private static final int[] CLIENTS = { 1, 10, 100, 1_000 };

	@Override
	public String name() {
		return "clients";
	}

	@Override
	public Results run(Lab lab) {
		Results results = Results.by("clients", "Clients that want one key");
		// So that classes are not among what the first client takes
		for (SpringDriver driver : SpringDriver.values()) {
			measure(lab, driver, 10, (table, measures) -> {
			});
		}
		for (int round = 1; round <= lab.rounds(); round++) {
			for (SpringDriver driver : SpringDriver.values()) {
				for (int clients : CLIENTS) {
					System.err.printf("%s, round %d: %d on %s%n", results.title(), round, clients, driver.word());
					measure(lab, driver, clients, results.of(String.format("%,d", clients), round));
				}
			}
		}
		return results;
	}

	private static void measure(Lab lab, SpringDriver driver, int count, Results.Recorder recorder) {
		try (RedisServer redis = new RedisServer()) {
			Footprint before = Footprint.of(redis);
			try (Clients clients = new Clients(driver, redis, count)) {
				Footprint after = Footprint.of(redis);
				contend(clients, count, lab.measured().toNanos() / 2);
				ServerUsage start = ServerUsage.of(redis);
				double grants = contend(clients, count, lab.measured().toNanos());
				ServerUsage used = ServerUsage.of(redis).since(start);
				Map<String, Double> traffic = new LinkedHashMap<>();
				traffic.put("grants/s", grants / (lab.measured().toNanos() / 1e9));
				traffic.put("scripts/grant", used.scripts() / grants);
				traffic.put("messages/grant", used.publishes() / grants);
				traffic.put("bytes in/grant", used.bytesIn() / grants);
				traffic.put("bytes out/grant", used.bytesOut() / grants);
				traffic.put("server µs/script", used.scriptMicros() / (double) used.scripts());
				traffic.put("Redis CPU µs/grant", used.cpuNanos() / 1e3 / grants);
				recorder.record("One key, on " + driver.word(), traffic);
				recorder.record("Each client while it does nothing, on " + driver.word(), after.per(count, before));
			}
		}
	}

	/**
	 * Lets all lock in turn for some time.
	 * @return how often they did
	 */
	private static long contend(Clients clients, int count, long nanos) {
		LongAdder grants = new LongAdder();
		long end = System.nanoTime() + nanos;
		Threads.run(count, (number) -> {
			LeaseLock lock = clients.get(number).getLock(KEY);
			while (System.nanoTime() < end) {
				lock.lock();
				grants.increment();
				lock.unlock();
			}
		});
		return grants.sum();
	}

	/**
	 * What is there in this process and in Redis.
	 *
	 * @param heapBytes heap in use
	 * @param threads threads
	 * @param redisBytes memory of Redis
	 * @param connections connections to Redis
	 */
	private record Footprint(double heapBytes, double threads, double redisBytes, double connections) {

		static Footprint of(RedisServer redis) {
			return new Footprint(Heap.usedBytes(), ManagementFactory.getThreadMXBean().getThreadCount(),
					redis.memoryBytes(),
					Double.parseDouble(redis.info("clients").getOrDefault("connected_clients", "0")));
		}

		Map<String, Double> per(int clients, Footprint before) {
			Map<String, Double> measures = new LinkedHashMap<>();
			measures.put("threads", (this.threads - before.threads) / clients);
			measures.put("connections", (this.connections - before.connections) / clients);
			measures.put("heap KB", (this.heapBytes - before.heapBytes) / 1e3 / clients);
			measures.put("Redis KB", (this.redisBytes - before.redisBytes) / 1e3 / clients);
			return measures;
		}

	}

}
