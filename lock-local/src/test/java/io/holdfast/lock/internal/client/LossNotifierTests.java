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

package io.holdfast.lock.internal.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.Lease;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockType;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.local.LocalLockClientBuilder;
import io.holdfast.lock.testing.LogCapture;
import io.holdfast.lock.testing.LossObserver;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A loss is told to everybody. */
class LossNotifierTests {

	private final Queue<String> told = new ConcurrentLinkedQueue<>();

	@Test
	void errorOfOneKeepsNobodyElseFromBeingTold() throws Exception {
		try (LocalLockClient client = client(new LossObserver(LossNotifierTests::fail),
				new LossObserver((loss) -> this.told.add("observer")))) {
			Lease lease = client.acquire("a", LockOptions.defaults());
			lease.onLost(LossNotifierTests::fail);
			lease.onLost((loss) -> this.told.add("action"));

			client.directory().forceUnlock("a");

			Awaitility.await()
				.untilAsserted(() -> assertThat(this.told).containsExactlyInAnyOrder("action", "observer"));
		}
	}

	@Test
	void actionThatNeverReturnsHidesNoLossFromObserversAndLog() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		try (LocalLockClient client = client(new LossObserver((loss) -> this.told.add("lost " + loss.name())));
				LogCapture log = LogCapture.open()) {
			Lease a = client.acquire("a", LockOptions.defaults());
			a.onLost((loss) -> {
				this.told.add("stuck");
				awaitEnd(end);
			});
			Lease b = client.acquire("b", LockOptions.defaults());
			client.directory().forceUnlock("a");
			Awaitility.await().until(() -> this.told.contains("stuck"));

			client.directory().forceUnlock("b");

			Awaitility.await().untilAsserted(() -> assertThat(this.told).contains("lost a", "lost b"));
			Awaitility.await()
				.untilAsserted(() -> assertThat(log.messages(Level.WARN))
					.filteredOn((message) -> message.contains(" was lost ("))
					.hasSize(2)
					.last()
					.asString()
					.startsWith("Lock 'b' with fencing token " + b.token() + " was lost (FORCED) after "));
			end.countDown();
		}
	}

	@Test
	void actionsThatWaitForOneThatHangsAreBoundedAndCounted() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		AtomicInteger done = new AtomicInteger();
		try (LocalLockClient client = client(); LogCapture log = LogCapture.open()) {
			List<Lease> leases = new ArrayList<>();
			for (int i = 0; i < 10_100; i++) {
				Lease lease = client.acquire("lock-" + i, LockOptions.defaults());
				lease.onLost((loss) -> {
					awaitEnd(end);
					done.incrementAndGet();
				});
				leases.add(lease);
			}
			leases.forEach((each) -> client.directory().forceUnlock(each.name()));
			end.countDown();

			Awaitility.await().until(() -> done.get() == 10_000);
			Awaitility.await()
				.untilAsserted(() -> assertThat(log.messages(Level.WARN))
					.filteredOn((message) -> message.contains(" of onLost "))
					.satisfiesExactly(
							(first) -> assertThat(first)
								.startsWith("An action of onLost has not returned while 10000 losses came."),
							(then) -> assertThat(then)
								.startsWith("Actions of onLost were dropped for 100 losses, as one was too slow")));
			assertThat(done).hasValue(10_000);
		}
	}

	/**
	 * Also one that does not observe attempts.
	 */
	@Test
	void lossIsToldWithTheAttemptThatItsObserverHasMade() throws Exception {
		List<LockObserver.Attempt> attempts = new CopyOnWriteArrayList<>();
		LockObserver.Attempt own = new LockObserver.Attempt() {
		};
		try (LocalLockClient client = client(new LossObserver((loss) -> this.told.add("lost " + loss.name())),
				new LockObserver() {

					@Override
					public Attempt wanted(String name, @Nullable String declaredName, LockType type) {
						return own;
					}

					@Override
					public void lost(LockLoss loss, Attempt attempt) {
						attempts.add(attempt);
					}

				})) {
			client.acquire("a", LockOptions.defaults());

			client.directory().forceUnlock("a");

			Awaitility.await().untilAsserted(() -> assertThat(attempts).containsExactly(own));
			Awaitility.await().untilAsserted(() -> assertThat(this.told).containsExactly("lost a"));
		}
	}

	private static LocalLockClient client(LockObserver... observers) {
		LocalLockClientBuilder builder = LocalLockClient.builder();
		for (LockObserver each : observers) {
			builder.observer(each);
		}
		return builder.build();
	}

	private static void awaitEnd(CountDownLatch end) {
		try {
			end.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void fail(LockLoss loss) {
		throw new IllegalStateException() {

			@Override
			public String getMessage() {
				throw new InternalError("thrown on purpose");
			}

		};
	}

}
