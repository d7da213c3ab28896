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

package io.holdfast.lock.internal.engine.simulation;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * Runs many seeds, on two threads.
 */
public final class Seeds {

	private static final int THREADS = 2;

	private static final AtomicLong events = new AtomicLong();

	private static final AtomicLong grants = new AtomicLong();

	private Seeds() {
	}

	/**
	 * Runs seeds until one fails. Which one it is may depend on the threads, but not
	 * whether it does.
	 * @return the failure, or {@code null} if there is none
	 */
	static @Nullable Failure run(long first, long count) throws InterruptedException {
		AtomicLong next = new AtomicLong(first);
		AtomicReference<@Nullable Failure> failure = new AtomicReference<>();
		Thread[] threads = new Thread[THREADS];
		for (int i = 0; i < THREADS; i++) {
			threads[i] = new Thread(() -> {
				for (long seed = next.getAndIncrement(); seed < first + count
						&& failure.get() == null; seed = next.getAndIncrement()) {
					Failure found = run(seed);
					if (found != null) {
						failure.compareAndSet(null, found);
					}
				}
			}, "simulation-" + i);
			threads[i].start();
		}
		for (Thread thread : threads) {
			thread.join();
		}
		return failure.get();
	}

	/**
	 * Runs one seed.
	 */
	static @Nullable Failure run(long seed) {
		Simulation simulation = new Simulation(seed, false);
		try {
			simulation.run();
			events.addAndGet(simulation.world.count());
			grants.addAndGet(simulation.referee.grants());
			return null;
		}
		catch (RuntimeException | Error ex) {
			return new Failure(seed, ex);
		}
	}

	/**
	 * What happens with a seed, as text.
	 */
	static List<String> trace(long seed) {
		Simulation simulation = new Simulation(seed, true);
		try {
			simulation.run();
		}
		catch (RuntimeException | Error ex) {
			simulation.world.note("failure", String.valueOf(ex.getMessage()));
		}
		return simulation.world.trace();
	}

	/**
	 * Runs seeds until one fails, and prints what came of it.
	 * @param args the first seed, how many, and whether to print the trace of the failure
	 */
	public static void main(String[] args) throws InterruptedException {
		long start = System.nanoTime();
		long first = Long.parseLong(args[0]);
		long count = Long.parseLong(args[1]);
		Failure failure = run(first, count);
		double seconds = (System.nanoTime() - start) / 1e9;
		if (failure == null) {
			System.out.printf("%d seeds in %.1f s, %d events, %d grants%n", count, seconds, events.get(), grants.get());
			return;
		}
		System.out.printf("seed %d after %.1f s: %s%n", failure.seed(), seconds, failure.cause());
		if (args.length > 2) {
			trace(failure.seed()).forEach(System.out::println);
			failure.cause().printStackTrace(System.out);
		}
		System.exit(1);
	}

	/**
	 * What went wrong.
	 *
	 * @param seed with which seed
	 * @param cause how
	 */
	record Failure(long seed, Throwable cause) {
	}

}
