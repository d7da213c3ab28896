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
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
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
	private static final Duration SECONDS = Duration.ofSeconds(20);

	private final List<String> told = new CopyOnWriteArrayList<>();

	private LockClient client;

	@BeforeEach
	void makeClient() {
		this.client = client((builder) -> builder.watchdogTimeout(WATCHDOG_TIMEOUT));
	}

	@Test
	void endsAlthoughItsLossActionsKnowIt() throws Exception {
		forgetLease("lease");
		forgetWork("work");
		forgetLeaseWithManyActions("many");

		List<String> held = new ArrayList<>(List.of("lease", "work", "many"));
		Awaitility.await("the end of leases that are forgotten")
			.atMost(SECONDS)
			.pollInSameThread()
			.pollInterval(Duration.ofMillis(200))
			.untilAsserted(() -> {
				System.gc();
				held.removeIf((each) -> this.elsewhere.getLock(each, this.type).tryLock());
				assertThat(held).as("leases that go on").isEmpty();
			});
	}

	private void forgetLease(String lockName) throws Exception {
		Lease lease = this.client.acquire(lockName, options());
		lease.onLost((loss) -> this.told.add(lease.name()));
	}

	private void forgetWork(String lockName) throws Exception {
		Work work = new Work(this.client.acquire(lockName, options()));
		work.lease.onLost(work::stop);
	}

	private void forgetLeaseWithManyActions(String lockName) throws Exception {
		Lease lease = this.client.acquire(lockName, options());
		lease.onLost((loss) -> this.told.add("first"));
		lease.onLost((loss) -> this.told.add(lease.name()));
		lease.onLost((loss) -> this.told.add("last"));
	}

	@Test
	void leaseThatSomebodyHasIsRenewedAndItsLossActionIsTold() throws Exception {
		awaitSubscription(this.client);
		Lease lease = this.client.acquire(this.name, options());
		lease.onLost((loss) -> this.told.add(lease.name() + " " + loss.cause()));

		collectGarbageTwice();
		for (int i = 0; i < 2; i++) {
			awaitRenewalOrEnd(lease::validFor);
		}
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

	/**
	 * What an application does while it holds a lock.
	 */
	private static final class Work {

		private final Lease lease;

		private volatile boolean stopped;

		Work(Lease lease) {
			this.lease = lease;
		}

		void stop(LockLoss loss) {
			this.stopped = this.lease.token() == loss.token();
		}

		@Override
		public String toString() {
			return this.stopped ? "stopped" : "at work";
		}

	}

}
