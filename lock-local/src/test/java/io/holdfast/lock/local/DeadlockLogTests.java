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

package io.holdfast.lock.local;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.testing.LogCapture;
import io.holdfast.lock.testing.TestThreads;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the log says of threads that wait for each other.
 */
class DeadlockLogTests {

	private final TestThreads threads = new TestThreads();

	private final LogCapture log = LogCapture.open();

	private final Queue<List<String>> observed = new ConcurrentLinkedQueue<>();

	private final LocalLockClient client = LocalLockClient.builder().observer(new LockObserver() {

		@Override
		public void deadlocked(List<String> names) {
			DeadlockLogTests.this.observed.add(names);
		}

	}).build();

	private final CyclicBarrier bothHoldOne = new CyclicBarrier(2);

	@AfterEach
	void close() {
		this.threads.close();
		this.client.close();
		this.log.close();
	}

	@Test
	void namesThreadsAndLocksAndShowsTheirStacks() {
		TestThreads.Running<Boolean> one = this.threads.start(() -> acquire("a", "b"));
		TestThreads.Running<Boolean> two = this.threads.start(() -> acquire("b", "a"));

		Awaitility.await("a message").atMost(TestThreads.LONG).until(() -> !this.log.messages(Level.ERROR).isEmpty());

		assertThat(this.log.messages(Level.ERROR)).singleElement()
			.asString()
			.startsWith("Deadlock: thread 'test-thread' waits for lock '")
			.contains("lock 'a'", "lock 'b'", "in one order");
		assertThat(this.log.stacks(Level.ERROR)).singleElement()
			.asString()
			.contains("waits here for lock 'a'", "waits here for lock 'b'", "DeadlockLogTests.acquire");
		assertThat(this.observed).singleElement()
			.asInstanceOf(InstanceOfAssertFactories.list(String.class))
			.containsExactlyInAnyOrder("a", "b");
		one.interrupt();
		assertThat(one.result()).isFalse();
		assertThat(two.result()).isTrue();
	}

	private boolean acquire(String first, String second) throws Exception {
		LeaseLock outer = this.client.getLock(first);
		outer.lock();
		try {
			this.bothHoldOne.await();
			LeaseLock inner = this.client.getLock(second);
			boolean acquired = inner.tryLock(TestThreads.LONG, Duration.ofMinutes(1));
			if (acquired) {
				inner.unlock();
			}
			return acquired;
		}
		catch (InterruptedException ex) {
			return false;
		}
		finally {
			outer.unlock();
		}
	}

}
