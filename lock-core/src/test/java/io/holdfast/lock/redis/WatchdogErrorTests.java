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
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An {@code Error} on a thread of the client does not end the renewals.
 */
class WatchdogErrorTests {

	private final FaultClients clients = new FaultClients(RedisProcess.shared(), "error-" + UUID.randomUUID() + ":");

	private final FailingClock clock = new FailingClock();

	private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	@AfterEach
	void close() throws Exception {
		this.clients.close();
	}

	@ParameterizedTest
	@EnumSource
	void lockIsRenewedAfterAnErrorOfAnyThreadOfTheClient(RedisDriver driver) {
		RedisLockClient client = this.clients.open(
				this.clients.connect(driver, RedisProcess.shared(), Duration.ofSeconds(2)),
				(builder) -> builder.waiterTimeout(Duration.ofSeconds(5))
					.watchdogTimeout(Duration.ofSeconds(3))
					.nanoTime(this.clock)
					.listener(this.losses::add));
		LeaseLock lock = client.getLock("renewed");
		lock.lock();
		for (int readings = 0; readings < 4; readings++) {
			this.clock.failElsewhereAfter(readings);
			FaultClients.await("an error", this.clock::hasFailedElsewhere);
			Duration before = lock.validFor();

			FaultClients.await("a renewal or the end",
					() -> lock.validFor().compareTo(before) > 0 || lock.validFor().isZero());

			assertThat(lock.isHeldByCurrentThread()).as("the lock is held").isTrue();
		}
		assertThat(this.losses).isEmpty();
		lock.unlock();
	}

}
