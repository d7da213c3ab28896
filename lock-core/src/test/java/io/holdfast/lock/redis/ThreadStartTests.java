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

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.FailingThreadStarts;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client starts threads while it works. Where that fails, it is tried again.
 */
@ParameterizedClass
@EnumSource
class ThreadStartTests extends FaultFixture {

	@Parameter
	private RedisDriver driver;

	/** Before any client: its own threads start others. */
	private final FailingThreadStarts starts = new FailingThreadStarts();

	ThreadStartTests() {
		super(RedisProcess.shared());
	}

	@AfterEach
	void letThreadsStart() {
		this.starts.remove();
	}

	@Test
	void locksAreRenewedAlthoughTheFirstThreadsForThatDoNotStart() {
		LeaseLock lock = openPatient(this.driver, this.server.port(), this::withClock).getLock("renewed");
		this.starts.after(0, 3);
		lock.lock();

		setForwardToRenewal();

		FaultClients.await("threads that do not start", this.starts::haveFailed);
		FaultClients.await("a renewal", () -> lock.validFor().compareTo(LONG_LEASE.minusSeconds(20)) > 0);
		lock.unlock();
	}

	@Test
	void lossIsToldByAThreadThatIsThere() throws Exception {
		RedisLockClient client = openPatient(this.driver);
		LockOptions options = LockOptions.defaults().leaseTime(Duration.ofMillis(200));
		Lease lease = client.acquire("lost", options);
		this.starts.after(0, Integer.MAX_VALUE);

		FaultClients.await("the loss is told", () -> !this.losses.isEmpty());

		assertThat(this.losses).extracting(LockLoss::token).containsExactly(lease.token());
		this.starts.end();
		assertThat(client.getLock("lost").tryLock(FaultClients.PATIENCE)).isTrue();
	}

}
