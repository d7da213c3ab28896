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

import java.util.Collection;
import java.util.Map;

import io.holdfast.lock.benchmarks.libraries.Library.RedisAddress;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs benchmarks that are too short for anything else, each in as many processes as
 * there are rounds. JMH tells what it does on the error output.
 */
final class Jmh {

	private static final int ITERATIONS = 5;

	private Jmh() {
	}

	/**
	 * Runs all benchmarks of a class.
	 * @param parameters their parameters, besides {@code host} and {@code port} of Redis
	 */
	static Collection<RunResult> run(Lab lab, RedisAddress redis, Class<?> benchmarks, Map<String, String> parameters) {
		ChainedOptionsBuilder options = new OptionsBuilder().include(benchmarks.getName() + "\\.")
			.forks(lab.rounds())
			.warmupIterations(lab.quick() ? 1 : ITERATIONS)
			.warmupTime(TimeValue.milliseconds(lab.measured().toMillis() / 4))
			.measurementIterations(ITERATIONS)
			.measurementTime(TimeValue.milliseconds(lab.measured().toMillis() / 4))
			// Threads of drivers do not end by themselves
			.jvmArgsAppend("-Djmh.shutdownTimeout=0")
			.param("host", redis.host())
			.param("port", Integer.toString(redis.port()));
		parameters.forEach(options::param);
		try {
			return new Runner(options.build(), OutputFormatFactory.createFormatInstance(System.err, VerboseMode.NORMAL))
				.run();
		}
		catch (RunnerException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * The median of all samples: on a busy machine it is near to what an average is on an
	 * idle one.
	 */
	static double median(RunResult result) {
		return result.getPrimaryResult().getStatistics().getPercentile(50);
	}

}
