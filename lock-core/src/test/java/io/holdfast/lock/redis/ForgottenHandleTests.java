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

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLoss.Cause;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lease that nobody has any more ends, whatever its own loss actions know.
 */
class ForgottenHandleTests extends LockContract {

	/**
	 * Long enough for collections of garbage on a busy machine not to cost the lock.
	 */
	private static final Duration WATCHDOG_TIMEOUT = Duration.ofSeconds(2);

	/** Many times what a forgotten lease takes to end. */
	private static final Duration SECONDS = Duration.ofSeconds(60);

	private final List<String> told = new CopyOnWriteArrayList<>();

	@Test
	void endsAlthoughItsLossActionsKnowIt() throws Exception {
		LockClient client = client((builder) -> builder.watchdogTimeout(WATCHDOG_TIMEOUT));
		forgetLease(client, "lease");
		forgetLeaseOfAFuture(client, "future");

		List<String> held = new ArrayList<>(List.of("lease", "future"));
		Awaitility.await("the end of leases that are forgotten")
			.atMost(SECONDS)
			.pollInSameThread()
			.pollInterval(Duration.ofMillis(200))
			.untilAsserted(() -> {
				System.gc();
				held.removeIf((each) -> this.elsewhere.getLock(each, options()).tryLock());
				assertThat(held).as("leases that go on").isEmpty();
			});
		awaitForgotten(client);
	}

	private void forgetLease(LockClient client, String lockName) throws Exception {
		Lease lease = client.acquire(lockName, options());
		lease.onLost((loss) -> this.told.add(lease.name()));
	}

	private void forgetLeaseOfAFuture(LockClient client, String lockName) {
		Lease lease = client.acquireAsync(lockName, options()).toCompletableFuture().join();
		lease.onLost((loss) -> this.told.add(lease.name()));
	}

	@Test
	void leaseThatSomebodyHasIsRenewedAndItsLossActionIsTold() throws Exception {
		LockClient client = clientWithClock();
		awaitSubscription(client);
		Lease lease = client.acquire(this.name, options());
		lease.onLost((loss) -> this.told.add(lease.name() + " " + loss.cause()));

		collectGarbageTwice();
		assertRenewedPastItsTimeout(lease::validFor);
		assertThat(lease.isValid()).isTrue();
		lock(this.elsewhere).forceUnlock();

		eventually().untilAsserted(() -> assertThat(this.told).containsExactly(this.name + " " + Cause.FORCED));
		assertThat(lease.isValid()).isFalse();
	}

	private static void collectGarbageTwice() {
		for (int i = 0; i < 2; i++) {
			WeakReference<Object> garbage = new WeakReference<>(new Object());
			eventually().until(() -> {
				System.gc();
				return garbage.get() == null;
			});
		}
	}

}
