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

package io.holdfast.lock.testing;

import java.time.Duration;
import java.util.Random;

/**
 * Runs a test with random input, again and again. Each try has a seed of its own, which
 * is all that its input comes from; the failure names the seed of the try that failed,
 * and the system property {@code fuzz.seed} runs that one alone. The tries are the same
 * ones in each run; the number {@code fuzz.first} chooses others. The property
 * {@code fuzz.factor} multiplies the time for which all tries go on.
 */
public final class Fuzz {

	private static final int FACTOR = Integer.getInteger("fuzz.factor", 1);

	private static final long FIRST = Long.getLong("fuzz.first", 1);

	private Fuzz() {
	}

	/**
	 * What makes up the input of a test that cannot be tried again with a seed, as it
	 * also depends on how its threads run.
	 */
	public static Random random() {
		return new Random(FIRST);
	}

	/**
	 * Tries for so long, and at least once.
	 * @return how many tries there were
	 */
	public static int forAbout(Duration time, Try test) {
		Long seed = Long.getLong("fuzz.seed");
		if (seed != null) {
			run(seed, test);
			return 1;
		}
		Random seeds = random();
		long start = System.nanoTime();
		int tries = 0;
		do {
			run(seeds.nextLong(), test);
			tries++;
		}
		while (System.nanoTime() - start < time.toNanos() * FACTOR);
		if (FACTOR > 1) {
			System.out.println(tries + " tries of " + test.getClass().getName().replaceAll("\\$.*", ""));
		}
		return tries;
	}

	private static void run(long seed, Try test) {
		try {
			test.run(new Random(seed));
		}
		catch (Exception | AssertionError ex) {
			throw new AssertionError("Failed with -Dfuzz.seed=" + seed, ex);
		}
	}

	/**
	 * One of the values.
	 */
	@SafeVarargs
	public static <T> T oneOf(Random random, T... values) {
		return values[random.nextInt(values.length)];
	}

	/**
	 * A test with random input.
	 */
	@FunctionalInterface
	public interface Try {

		void run(Random random) throws Exception;

	}

}
