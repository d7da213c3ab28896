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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

import org.jspecify.annotations.Nullable;

/**
 * Runs the same work in many threads.
 */
final class Threads {

	private Threads() {
	}

	/**
	 * Starts threads, gives each its number, and waits until all have ended.
	 */
	static void run(int count, IntConsumer work) {
		AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			threads.add(start(i, work, failure));
		}
		join(threads, failure);
	}

	/**
	 * Waits until all threads have ended, and fails if one of them did.
	 */
	static void join(List<Thread> threads, AtomicReference<@Nullable Throwable> failure) {
		try {
			for (Thread thread : threads) {
				thread.join();
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		Throwable thrown = failure.get();
		if (thrown != null) {
			throw new IllegalStateException(thrown);
		}
	}

	/**
	 * Starts a thread that the process does not wait for.
	 */
	static Thread start(int number, IntConsumer work, AtomicReference<@Nullable Throwable> failure) {
		Thread thread = new Thread(() -> {
			try {
				work.accept(number);
			}
			catch (Throwable ex) {
				failure.compareAndSet(null, ex);
			}
		}, "work-" + number);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	/**
	 * Waits until something is so, which should not take long.
	 */
	static void await(BooleanSupplier condition) {
		long deadline = System.nanoTime() + 120_000_000_000L;
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() > deadline) {
				throw new IllegalStateException("It took too long");
			}
			sleepUntil(System.nanoTime() + 20_000_000);
		}
	}

	/**
	 * Sleeps until a moment of {@link System#nanoTime()}, which is one clock for all
	 * processes of a machine.
	 */
	static void sleepUntil(long nanoTime) {
		for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
