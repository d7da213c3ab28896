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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.HeapCount;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Leases that end by themselves because nobody unlocks, as those who use locks against
 * duplicates do it: afterwards it is as if they had not been.
 */
@ParameterizedClass
@EnumSource
class ForgottenLeaseTests extends FaultFixture {

	private static final LockOptions LEASED = LockOptions.defaults().leaseTime(Duration.ofMillis(100));

	private static final int THREADS = 4;

	private static final int NAMES = 20_000;

	@Parameter
	RedisDriver driver;

	private RedisLockClient client;

	ForgottenLeaseTests() {
		super(RedisProcess.shared());
	}

	@BeforeEach
	void open() {
		// Nobody is to remember the losses.
		this.client = this.clients.open(this.clients.connect(this.driver, this.server, FaultClients.PATIENCE),
				(builder) -> builder.commandTimeout(FaultClients.PATIENCE));
	}

	@Test
	void leasesThatNobodyUnlocksLeaveNothingInMemory() throws Exception {
		LeaseLock warmUp = this.client.getLock("warm-up");
		assertThat(warmUp.tryLock()).isTrue();
		warmUp.unlock();
		long before = HeapCount.ofClasses("io.holdfast.");
		// Threads that stay: what belongs to one that has ended is forgotten otherwise.
		ExecutorService pool = Executors.newFixedThreadPool(THREADS);
		try {
			List<Future<?>> done = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				int thread = i;
				done.add(pool.submit(() -> {
					for (int n = 0; n < NAMES / THREADS; n++) {
						assertThat(this.client.getLock("order-" + thread + "-" + n, LEASED).tryLock()).isTrue();
					}
					return null;
				}));
			}
			for (Future<?> each : done) {
				each.get(1, TimeUnit.MINUTES);
			}

			// A bounded number of losses may be remembered for those who unlock late.
			Awaitility.await()
				.atMost(FaultClients.PATIENCE)
				.pollInterval(Duration.ofMillis(500))
				.untilAsserted(() -> assertThat(HeapCount.ofClasses("io.holdfast.") - before)
					.as("objects left by %d leases", NAMES)
					.isLessThan(NAMES / 2));
		}
		finally {
			pool.shutdownNow();
		}
	}

	@Test
	void threadThatUnlocksAfterItsLeaseIsTold() throws Exception {
		List<LeaseLock> locks = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			LeaseLock lock = this.client.getLock("order-" + i, LEASED);
			assertThat(lock.tryLock()).isTrue();
			locks.add(lock);
		}
		for (LeaseLock lock : locks) {
			FaultClients.await("the lease is over", () -> !lock.isHeldByCurrentThread() && !lock.isLocked());
		}

		assertThat(locks)
			.allSatisfy((lock) -> assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock))
			.allSatisfy(
					(lock) -> assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock));
	}

}
