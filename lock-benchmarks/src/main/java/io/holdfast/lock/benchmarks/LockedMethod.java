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

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.autoconfigure.LockAnnotationAutoConfiguration;
import io.holdfast.lock.autoconfigure.LockAutoConfiguration;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Calls a method under a lock that the thread holds already, so that only what surrounds
 * the lock makes the difference.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LockedMethod {

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private @Nullable Orders orders;

	private @Nullable LockClient client;

	/**
	 * Takes the outer lock, in the thread that runs the benchmark.
	 */
	@Setup
	public void lock() {
		this.context.registerBean(RedisConnectionFactory.class,
				() -> SpringDriver.JEDIS.connect(NestedCalls.redis(), 1));
		this.context.register(LockAutoConfiguration.class, LockAnnotationAutoConfiguration.class, Orders.class);
		this.context.refresh();
		this.orders = this.context.getBean(Orders.class);
		this.client = this.context.getBean(LockClient.class);
		this.client.getLock("order:42").lock();
	}

	/**
	 * The method without a lock.
	 * @return what it returns
	 */
	@Benchmark
	public long withoutLock() {
		return (this.orders != null) ? this.orders.next(42) : 0;
	}

	/**
	 * The lock taken by hand.
	 * @return what the method returns
	 */
	@Benchmark
	public long lockByHand() {
		if (this.orders == null || this.client == null) {
			return 0;
		}
		LeaseLock lock = this.client.getLock("order:" + 42);
		lock.lock();
		try {
			return this.orders.next(42);
		}
		finally {
			lock.unlock();
		}
	}

	/**
	 * The lock taken by the annotation.
	 * @return what the method returns
	 */
	@Benchmark
	public long lockByAnnotation() {
		return (this.orders != null) ? this.orders.lockedNext(42) : 0;
	}

	/**
	 * Gives the outer lock back.
	 */
	@TearDown
	public void stop() {
		this.context.close();
	}

	/**
	 * A service.
	 */
	public static class Orders {

		private long next;

		/**
		 * Does next to nothing.
		 * @param id whose
		 * @return the next number
		 */
		public long next(long id) {
			this.next += id;
			return this.next;
		}

		/**
		 * As {@link #next}, under a lock.
		 * @param id whose
		 * @return the next number
		 */
		@DistributedLock(name = "order", key = "#id")
		public long lockedNext(long id) {
			return next(id);
		}

	}

}
