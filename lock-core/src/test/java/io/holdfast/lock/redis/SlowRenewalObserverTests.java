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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.testing.RedisDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An observer that does not return when renewals fail keeps no lock from being renewed.
 */
class SlowRenewalObserverTests extends FaultFixture {

	private static final Duration TIMEOUT = Duration.ofMillis(200);

	private final CountDownLatch released = new CountDownLatch(1);

	private final CountDownLatch blocked = new CountDownLatch(1);

	private final AtomicReference<LockObserver.ClientState> state = new AtomicReference<>();

	@AfterEach
	void release() {
		this.released.countDown();
	}

	@Test
	void renewalsGoOnAfterOnesThatFailed() throws Exception {
		Lease lease = open(this.clients.connect(RedisDriver.JEDIS, this.server, TIMEOUT),
				(builder) -> withClock(builder).commandTimeout(TIMEOUT).observer(new SlowObserver()))
			.acquire("a");
		this.server.pause();
		setForwardToRenewal();
		this.blocked.await();
		// By then more renewals have failed than there are threads for them.
		FaultClients.await("many renewals", () -> this.state.get().renewalLag().compareTo(Duration.ofSeconds(7)) > 0);
		this.server.resume();

		FaultClients.await("a renewal", () -> lease.validFor().compareTo(LONG_LEASE.minusSeconds(20)) > 0);

		assertThat(this.released.getCount()).isOne();
	}

	private final class SlowObserver implements LockObserver {

		@Override
		public void started(ClientState client) {
			SlowRenewalObserverTests.this.state.set(client);
		}

		@Override
		public void renewalFailed(String name, LockServerException reason) {
			SlowRenewalObserverTests.this.blocked.countDown();
			try {
				SlowRenewalObserverTests.this.released.await();
			}
			catch (InterruptedException ex) {
				throw new AssertionError(ex);
			}
		}

	}

}
