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

import io.holdfast.lock.benchmarks.libraries.Libraries;
import io.holdfast.lock.benchmarks.libraries.Library.Hold;
import io.holdfast.lock.benchmarks.libraries.Library.RedisAddress;
import io.holdfast.lock.benchmarks.libraries.Library.Session;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What {@link Nested} measures.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@SuppressWarnings("NullAway.Init")
public class NestedPair {

	private static final String KEY = "nested";

	@Param("holdfast-jedis")
	String library;

	@Param("127.0.0.1")
	String host;

	@Param("6379")
	int port;

	private Session session;

	private Hold outer;

	/**
	 * Locks.
	 */
	@Setup
	public void lock() {
		this.session = Libraries.named(this.library).open(new RedisAddress(this.host, this.port), 1);
		this.outer = this.session.lock(KEY);
	}

	/**
	 * Locks and unlocks once more.
	 */
	@Benchmark
	public void pair() {
		this.session.lock(KEY).unlock();
	}

	/**
	 * Unlocks.
	 */
	@TearDown
	public void unlock() {
		this.outer.unlock();
	}

}
