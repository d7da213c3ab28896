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
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lease that a waiter asked for is never exceeded, neither in Redis nor in what its
 * owner believes, whatever the client has sent while it waited.
 */
@ParameterizedClass(name = "{0} with {1}")
@MethodSource("io.holdfast.lock.redis.LockContract#kinds")
class HandedOverLeaseTests extends FaultFixture {

	private static final Duration LEASE = Duration.ofSeconds(8);

	/**
	 * A waiter says every third of it that it lives.
	 */
	private static final Duration WAITER_TIMEOUT = Duration.ofSeconds(12);

	@Parameter(0)
	boolean fair;

	@Parameter(1)
	RedisDriver driver;

	@Test
	void signOfLifeThatArrivesAfterTheGrantDoesNotProlongIt() throws Exception {
		RedisLockClient holder = openPatient(this.driver);
		RedisLockClient client = openPatient(this.driver, this.proxy.port(),
				(builder) -> builder.waiterTimeout(WAITER_TIMEOUT));
		LeaseLock held = holder.getLock("orders", LockOptions.defaults().fair(this.fair));
		held.lock();
		Crew.Member waiter = this.crew.start("waiter", () -> {
			LeaseLock lock = client.getLock("orders", LockOptions.defaults().fair(this.fair).leaseTime(LEASE));
			lock.lock();
			assertEndsInTime(lock);
		});
		FaultClients.await("it waits", () -> holder.directory().queue("orders", 10).size() == 1);

		// What it says of itself meanwhile arrives when it has the lock.
		this.proxy.goDeaf();
		FaultClients.pass(WAITER_TIMEOUT.dividedBy(3).plusMillis(200));
		held.unlock();
		assertThat(holdOf(client, holder)).as("the hold of the waiter").isPresent();
		this.proxy.heal();

		FaultClients.await("its hold is over", () -> {
			Optional<HeldLock> hold = holdOf(client, holder);
			hold.ifPresent((each) -> assertThat(each.leaseLeft()).as("lease in Redis").isLessThanOrEqualTo(LEASE));
			return hold.isEmpty();
		});
		waiter.join(FaultClients.PATIENCE);
	}

	private static Optional<HeldLock> holdOf(RedisLockClient client, RedisLockClient observer) {
		return observer.directory().find("orders").filter((hold) -> hold.client().equals(client.id()));
	}

	/**
	 * Looks at the lease until it is over.
	 */
	private static void assertEndsInTime(LeaseLock lock) {
		long start = System.nanoTime();
		Duration left;
		do {
			Duration most = LEASE.minusNanos(System.nanoTime() - start);
			left = lock.validFor();
			assertThat(left).as("lease that its owner believes in")
				.isLessThanOrEqualTo(most.isNegative() ? Duration.ZERO : most);
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
		}
		while (!left.isZero());
	}

}
