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

import java.util.concurrent.TimeUnit;

import io.holdfast.lock.benchmarks.Library.Session;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Locks and unlocks a key that the thread has locked.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class NestedLock {

	private String key = "";

	/**
	 * The library.
	 */
	@Param("holdfast-jedis")
	String library = "";

	private @Nullable Session session;

	/**
	 * Takes the outer lock, in the thread that runs the benchmark.
	 */
	@Setup
	public void lock() {
		this.key = "nested:" + this.library;
		this.session = Libraries.named(this.library).open(NestedCalls.redis(), 1);
		this.session.lock(this.key);
	}

	/**
	 * Locks and unlocks.
	 */
	@Benchmark
	public void lockAndUnlock() {
		if (this.session != null) {
			this.session.lock(this.key).unlock();
		}
	}

}
