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

import java.util.List;
import java.util.Map;

import io.holdfast.lock.benchmarks.Library.RedisAddress;
import io.holdfast.lock.benchmarks.Library.Trait;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * What it costs to lock and unlock once more what the thread has locked, and what
 * {@code @DistributedLock} adds to that. These are so short that JMH measures them.
 */
final class NestedCalls implements Scenario {

	private static final int ITERATIONS = 4;

	private static final String PORT = "redis.port";

	/**
	 * Where the benchmarks' processes find Redis, which is not theirs: nobody would end
	 * it if they were killed.
	 */
	static RedisAddress redis() {
		return new RedisAddress(RedisServer.HOST, Integer.getInteger(PORT));
	}

	@Override
	public String name() {
		return "nested";
	}

	@Override
	public Results run(Lab lab) {
		Results results = new Results("Nested lock and unlock, one thread, one fork of JMH");
		List<String> libraries = lab.libraries()
			.stream()
			.filter((library) -> library.traits().contains(Trait.NESTS))
			.map(Library::name)
			.toList();
		if (!libraries.isEmpty()) {
			try (RedisServer redis = new RedisServer()) {
				run(lab, redis, NestedLock.class, results, libraries);
				run(lab, redis, LockedMethod.class, results, List.of());
			}
		}
		return results;
	}

	private static void run(Lab lab, RedisServer redis, Class<?> benchmark, Results results, List<String> libraries) {
		System.err.println(results.title() + ": " + benchmark.getSimpleName());
		TimeValue time = TimeValue.milliseconds(lab.measured().toMillis() / 2);
		OptionsBuilder options = new OptionsBuilder();
		options.include(benchmark.getName() + "\\.")
			.forks(1)
			.jvmArgsAppend("-Djmh.shutdownTimeout=0", "-D" + PORT + "=" + redis.address().port())
			.warmupIterations(ITERATIONS)
			.warmupTime(time)
			.measurementIterations(ITERATIONS)
			.measurementTime(time)
			.shouldFailOnError(true)
			.verbosity(VerboseMode.SILENT);
		if (!libraries.isEmpty()) {
			options.param("library", libraries.toArray(String[]::new));
		}
		try {
			for (RunResult result : new Runner(options.build()).run()) {
				String library = result.getParams().getParam("library");
				results.of((library != null) ? library : result.getPrimaryResult().getLabel(), 1)
					.record(benchmark.getSimpleName(), Map.of("ns/call", result.getPrimaryResult().getScore()));
			}
		}
		catch (RunnerException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
