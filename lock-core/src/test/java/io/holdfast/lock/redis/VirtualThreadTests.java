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

package io.holdfast.lock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.testing.VirtualThreads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Virtual threads hold locks and wait for them as other threads do, and do not keep those
 * that carry them.
 */
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "There are no virtual threads")
class VirtualThreadTests extends LockContract {

	/**
	 * Many times as many as carry them.
	 */
	private static final int WAITERS = 500;

	private final AtomicInteger inside = new AtomicInteger();

	@Test
	void manyWaitAndOthersRunMeanwhile() throws Exception {
		lock().lock();
		CountDownLatch asking = new CountDownLatch(WAITERS);
		List<FutureTask<Long>> waiting = new ArrayList<>();
		for (int i = 0; i < WAITERS; i++) {
			LeaseLock lock = lock((i % 2 == 0) ? this.here : this.elsewhere);
			waiting.add(start(() -> {
				asking.countDown();
				lock.lock();
				assertThat(this.inside.incrementAndGet()).isOne();
				long token = lock.token();
				this.inside.decrementAndGet();
				lock.unlock();
				return token;
			}));
		}
		assertThat(asking.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
		eventually().until(() -> queueLength() > 0);

		assertThat(start(() -> "runs").get(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo("runs");
		lock().unlock();

		List<Long> tokens = new ArrayList<>();
		for (FutureTask<Long> each : waiting) {
			tokens.add(each.get(LONG.toSeconds(), TimeUnit.SECONDS));
		}
		assertThat(tokens).doesNotHaveDuplicates();
		awaitForgotten(this.here);
		awaitForgotten(this.elsewhere);
	}

	private static <T> FutureTask<T> start(Callable<T> work) {
		FutureTask<T> task = new FutureTask<>(work);
		VirtualThreads.factory().newThread(task).start();
		return task;
	}

}
