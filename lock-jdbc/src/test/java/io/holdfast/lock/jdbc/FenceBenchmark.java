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

package io.holdfast.lock.jdbc;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;

import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a transaction that reads an account and writes it costs, by what keeps others
 * away. Not in the build: {@code -Dtest=FenceBenchmark -Dfence.disk}.
 */
class FenceBenchmark {

	private static final int CALLS = Integer.getInteger("fence.calls", 2_000);

	private static final int THREADS = 8;

	private static final Map<String, BiConsumer<FenceScene, String>> WAYS = new LinkedHashMap<>();

	static {
		WAYS.put("nothing", (scene, name) -> scene.inTransaction(() -> scene.add(name, () -> {
		})));
		WAYS.put("version column", FenceBenchmark::byVersion);
		WAYS.put("select for update", (scene, name) -> scene.inTransaction(() -> {
			int balance = scene.jdbc.queryForObject("select balance from account where id = ? for update",
					Integer.class, name);
			scene.jdbc.update("update account set balance = ? where id = ?", balance + 1, name);
		}));
		WAYS.put("pg_advisory_xact_lock", (scene, name) -> scene.inTransaction(() -> {
			scene.jdbc.query("select pg_advisory_xact_lock(?)", (row) -> {
			}, name.hashCode());
			scene.add(name, () -> {
			});
		}));
		WAYS.put("@DistributedLock",
				(scene, name) -> scene.locks.locked(name, () -> scene.inTransaction(() -> scene.add(name, () -> {
				}))));
	}

	@ParameterizedTest
	@EnumSource
	void measure(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			for (Map.Entry<String, BiConsumer<FenceScene, String>> way : WAYS.entrySet()) {
				if (database == TestDatabase.POSTGRESQL || !way.getKey().startsWith("pg_")) {
					measure(database, scene, way.getKey().replace("@", "fence and @"), way.getValue());
				}
			}
		});
		FenceScene.run(FenceScene.application(database, "holdfast.lock.fence.enabled=false"),
				(scene) -> measure(database, scene, "@DistributedLock", WAYS.get("@DistributedLock")));
	}

	private static void measure(TestDatabase database, FenceScene scene, String title,
			BiConsumer<FenceScene, String> way) {
		String name = scene.account();
		times(scene, name, way, CALLS / 4);
		long[] times = times(scene, name, way, CALLS);
		long start = System.nanoTime();
		try (TestThreads threads = new TestThreads()) {
			List<TestThreads.Running<Void>> all = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				all.add(threads.run(() -> times(scene, name, way, CALLS / THREADS)));
			}
			all.forEach(TestThreads.Running::result);
		}
		double seconds = (System.nanoTime() - start) / 1e9;
		System.out.println(String.format(Locale.ROOT, "| %s | %s | %d | %d | %.0f |", database, title,
				times[times.length / 2], times[times.length * 99 / 100], CALLS / seconds));
	}

	/** In microseconds, sorted. */
	private static long[] times(FenceScene scene, String name, BiConsumer<FenceScene, String> way, int calls) {
		return LongStream.range(0, calls).map((i) -> {
			long start = System.nanoTime();
			way.accept(scene, name);
			return (System.nanoTime() - start) / 1_000;
		}).sorted().toArray();
	}

	private static void byVersion(FenceScene scene, String name) {
		boolean done = false;
		while (!done) {
			done = scene.transaction().execute((status) -> {
				int balance = scene.balance(name);
				return scene.jdbc.update("update account set balance = ? where id = ? and balance = ?", balance + 1,
						name, balance) == 1;
			});
		}
	}

}
