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

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.testing.RedisDriver;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A server that is there and will do nothing for now.
 */
class UnavailableServerTests extends FaultFixture {

	@Test
	void waitWithoutLimitEndsWhenNothingElseWasSaidForAsLongAsAPlaceLasts() {
		LeaseLock lock = openPatient(RedisDriver.JEDIS, this.server.port(),
				(builder) -> builder.waiterTimeout(FaultClients.WAITER_TIMEOUT))
			.getLock("orders");
		lock.isLocked();
		this.server.command("REPLICAOF", "127.0.0.1", "1");
		long start = System.nanoTime();

		assertThatExceptionOfType(LockServerException.class).isThrownBy(lock::lock)
			.returns(Reason.UNAVAILABLE, LockServerException::reason);

		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(FaultClients.WAITER_TIMEOUT,
				FaultClients.WAITER_TIMEOUT.multipliedBy(20));
	}

}
