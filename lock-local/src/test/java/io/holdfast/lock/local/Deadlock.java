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
import java.util.concurrent.CyclicBarrier;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.TestThreads;

/**
 * Two threads that wait for each other, until one is interrupted.
 */
final class Deadlock {

	private final CyclicBarrier bothHoldOne = new CyclicBarrier(2);

	private final LockClient client;

	private final List<TestThreads.Running<Boolean>> both;

	Deadlock(TestThreads threads, LockClient client) {
		this.client = client;
		this.both = List.of(threads.start(() -> acquire("a", "b")), threads.start(() -> acquire("b", "a")));
	}

	/**
	 * Interrupts one of them.
	 * @return whether they acquired what they waited for: the one, and the other
	 */
	List<Boolean> end() {
		this.both.get(0).interrupt();
		return this.both.stream().map(TestThreads.Running::result).toList();
	}

	private boolean acquire(String first, String second) throws Exception {
		LeaseLock outer = this.client.getLock(first);
		outer.lock();
		try {
			this.bothHoldOne.await();
			LeaseLock inner = this.client.getLock(second, LockOptions.defaults().leaseTime(Duration.ofMinutes(1)));
			boolean acquired = inner.tryLock(TestThreads.LONG);
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
