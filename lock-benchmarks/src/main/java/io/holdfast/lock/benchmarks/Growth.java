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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.benchmarks.libraries.SpringDriver;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Whether a script takes longer the more others wait, and the more locks are held.
 */
@SuppressWarnings("LockNotBeforeTry")
final class Growth implements Scenario {

	private static final String KEY = "hot";

	private static final int[] WAITERS = { 1, 10, 100, 1_000, 10_000 };

	private static final int[] LOCKS = { 1, 1_000, 100_000 };

	/**
	 * Longer than the scenario, so that no renewal is among what is measured.
	 */
	private static final Duration LEASE = Duration.ofHours(1);

	/**
	 * Waiters give no sign of life before a third of it, so that only hand-overs are
	 * measured.
	 */
	private static final Duration NO_SIGNS = Duration.ofMinutes(5);

	private static final int PAIR_KEYS = 1_000;

	@Override
	public String name() {
		return "growth";
	}

	@Override
	public Results run(Lab lab) {
		Results results = Results.by("others", "Cost by how many others there are");
		for (int round = 1; round <= lab.rounds(); round++) {
			for (int waiters : WAITERS) {
				System.err.printf("%s, round %d: %d waiters%n", results.title(), round, waiters);
				Results.Recorder recorder = results.of(String.format("%,d", waiters), round);
				try {
					handOver(lab, waiters, (client) -> client.waiterTimeout(NO_SIGNS),
							"Waiters of a fair lock that give no sign of life meanwhile", recorder);
					handOver(lab, waiters, UnaryOperator.identity(), "The same with default settings", recorder);
				}
				catch (IllegalStateException ex) {
					results.note(waiters + " waiters: " + ex.getMessage());
				}
			}
			for (int locks : LOCKS) {
				System.err.printf("%s, round %d: %d locks%n", results.title(), round, locks);
				pairs(lab, locks, results.of(String.format("%,d", locks), round));
			}
		}
		return results;
	}

	/**
	 * Waiters of a fair lock, because each of them has its own place in the queue, and
	 * takes a new one as soon as it had its turn.
	 */
	private static void handOver(Lab lab, int waiters, UnaryOperator<RedisLockClientBuilder> settings, String table,
			Results.Recorder recorder) {
		try (RedisServer redis = new RedisServer();
				Clients clients = new Clients(SpringDriver.JEDIS, redis, 1, settings)) {
			LockClient client = clients.get(0);
			LeaseLock lock = client.getLock(KEY, LockOptions.defaults().fair(true));
			AtomicBoolean over = new AtomicBoolean();
			LongAdder grants = new LongAdder();
			AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
			lock.lock();
			List<Thread> threads = IntStream.range(0, waiters).mapToObj((number) -> Threads.start(number, (unused) -> {
				while (!over.get()) {
					lock.lock();
					grants.increment();
					lock.unlock();
				}
			}, failure)).toList();
			Threads.await(() -> client.directory().find(KEY).map(HeldLock::waiters).orElse(0L) == waiters);
			ServerUsage queued = ServerUsage.of(redis);
			sleep(lab.measured().multipliedBy(2));
			ServerUsage waited = ServerUsage.of(redis).since(queued);
			lock.unlock();
			sleep(lab.measured().dividedBy(2));
			long firstGrant = grants.sum();
			ServerUsage start = ServerUsage.of(redis);
			sleep(lab.measured());
			ServerUsage used = ServerUsage.of(redis).since(start);
			double granted = grants.sum() - firstGrant;
			over.set(true);
			Map<String, Double> measures = new LinkedHashMap<>();
			measures.put("grants/s", granted / (lab.measured().toNanos() / 1e9));
			measures.put("scripts/grant", used.scripts() / granted);
			measures.put("server µs/script", used.scriptMicros() / (double) used.scripts());
			measures.put("server µs/grant", used.scriptMicros() / granted);
			measures.put("Redis CPU µs/grant", used.cpuNanos() / 1e3 / granted);
			measures.put("scripts/s while all wait", waited.scripts() / (lab.measured().toNanos() * 2 / 1e9));
			recorder.record(table, measures);
			Threads.join(threads, failure);
		}
	}

	/**
	 * One thread that locks what nobody else wants, while other locks are held.
	 */
	private static void pairs(Lab lab, int locks, Results.Recorder recorder) {
		try (RedisServer redis = new RedisServer(); Clients clients = new Clients(SpringDriver.JEDIS, redis, 1)) {
			LockClient client = clients.get(0);
			for (int i = 0; i < locks; i++) {
				client.getLock("other:" + i, LockOptions.defaults().leaseTime(LEASE)).lock();
			}
			pairs(client, lab.measured().dividedBy(2));
			ServerUsage start = ServerUsage.of(redis);
			double pairs = pairs(client, lab.measured());
			ServerUsage used = ServerUsage.of(redis).since(start);
			Map<String, Double> measures = new LinkedHashMap<>();
			measures.put("pairs/s", pairs / (lab.measured().toNanos() / 1e9));
			measures.put("scripts/pair", used.scripts() / pairs);
			measures.put("server µs/script", used.scriptMicros() / (double) used.scripts());
			measures.put("server µs/pair", used.scriptMicros() / pairs);
			measures.put("Redis CPU µs/pair", used.cpuNanos() / 1e3 / pairs);
			recorder.record("Other locks that are held", measures);
		}
	}

	private static long pairs(LockClient client, Duration time) {
		long end = System.nanoTime() + time.toNanos();
		long pairs = 0;
		while (System.nanoTime() < end) {
			LeaseLock lock = client.getLock("key:" + pairs++ % PAIR_KEYS);
			lock.lock();
			lock.unlock();
		}
		return pairs;
	}

	private static void sleep(Duration time) {
		Threads.sleepUntil(System.nanoTime() + time.toNanos());
	}

}
