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

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockListener;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.engine.LossNotice;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.testing.LogCapture;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A loss is told to everybody. */
class LossNotifierTests {

	private final Queue<String> told = new ConcurrentLinkedQueue<>();

	@Test
	void errorOfOneKeepsNobodyElseFromBeingTold() throws Exception {
		LossNotifier notifier = new LossNotifier(List.of(LossNotifierTests::fail, (loss) -> this.told.add("listener")));
		notifier.start();
		try (LockClient client = LocalLockClient.builder().observer(new FailingObserver()).build()) {
			LeaseHandle lease = (LeaseHandle) client.acquire("a", LockOptions.defaults());
			lease.onLost(LossNotifierTests::fail);
			lease.onLost((loss) -> this.told.add("action"));

			notifier.lost(new LossNotice(
					new LockLoss("a", LockType.REENTRANT, 1, Instant.EPOCH, LockLoss.Cause.GONE, Duration.ZERO),
					lease.grant()));

			Awaitility.await().untilAsserted(() -> assertThat(this.told).containsExactly("action", "listener"));
		}
		notifier.close();
	}

	@Test
	void listenerThatCannotBeComparedKeepsNobodyFromBeingTold() throws Exception {
		LockListener incomparable = new LockListener() {

			@Override
			public void onLost(LockLoss loss) {
				LossNotifierTests.this.told.add("incomparable");
			}

			@Override
			public boolean equals(Object other) {
				throw new IllegalStateException("thrown on purpose");
			}

			@Override
			public int hashCode() {
				return 1;
			}

		};
		LossNotifier notifier = new LossNotifier(List.of(incomparable, (loss) -> this.told.add("listener")));
		notifier.start();
		try (LockClient client = LocalLockClient.builder().build()) {
			LeaseHandle lease = (LeaseHandle) client.acquire("a", LockOptions.defaults());

			notifier.lost(new LossNotice(
					new LockLoss("a", LockType.REENTRANT, 1, Instant.EPOCH, LockLoss.Cause.GONE, Duration.ZERO),
					lease.grant()));

			Awaitility.await().untilAsserted(() -> assertThat(this.told).containsExactly("incomparable", "listener"));
		}
		notifier.close();
	}

	@Test
	void listenerThatNeverReturnsHidesNoLossFromObserversAndLog() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		LockListener stuck = (loss) -> {
			this.told.add("stuck");
			awaitEnd(end);
		};
		LossNotifier notifier = new LossNotifier(List.of(stuck));
		notifier.start();
		try (LockClient client = LocalLockClient.builder().observer(new ToldObserver()).build();
				LogCapture log = LogCapture.open()) {
			notifier.lost(loss((LeaseHandle) client.acquire("a", LockOptions.defaults()), "a"));
			Awaitility.await().until(() -> this.told.contains("stuck"));

			notifier.lost(loss((LeaseHandle) client.acquire("b", LockOptions.defaults()), "b"));

			Awaitility.await().untilAsserted(() -> assertThat(this.told).contains("lost a", "lost b"));
			Awaitility.await()
				.untilAsserted(() -> assertThat(log.messages(Level.WARN))
					.filteredOn((message) -> message.contains(" was lost ("))
					.hasSize(2)
					.last()
					.asString()
					.startsWith("Lock 'b' with fencing token 1 was lost (GONE) after "));
		}
		finally {
			end.countDown();
			notifier.close();
		}
	}

	@Test
	void lossesThatCameWhileAListenerHungAreBoundedAndCounted() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		AtomicInteger heard = new AtomicInteger();
		LossNotifier notifier = new LossNotifier(List.of((loss) -> {
			heard.incrementAndGet();
			awaitEnd(end);
		}));
		notifier.start();
		try (LockClient client = LocalLockClient.builder().build(); LogCapture log = LogCapture.open()) {
			LossNotice loss = loss((LeaseHandle) client.acquire("a", LockOptions.defaults()), "a");
			for (int i = 0; i < 10_100; i++) {
				notifier.lost(loss);
			}
			end.countDown();

			Awaitility.await().until(() -> heard.get() == 10_000);
			assertThat(log.messages(Level.WARN)).filteredOn((message) -> message.contains("was lost"))
				.hasSizeLessThan(20);
			assertThat(log.messages(Level.WARN)).filteredOn((message) -> message.startsWith("A listener has not"))
				.hasSize(1);
			assertThat(log.messages(Level.WARN))
				.contains("Listeners and actions were not told of 100 losses, for which one was too slow");
		}
		finally {
			end.countDown();
			notifier.close();
		}
		assertThat(heard).hasValue(10_000);
	}

	private static void awaitEnd(CountDownLatch end) {
		try {
			end.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static LossNotice loss(LeaseHandle lease, String name) {
		return new LossNotice(
				new LockLoss(name, LockType.REENTRANT, 1, Instant.EPOCH, LockLoss.Cause.GONE, Duration.ZERO),
				lease.grant());
	}

	private static void fail(LockLoss loss) {
		throw new IllegalStateException() {

			@Override
			public String getMessage() {
				throw new InternalError("thrown on purpose");
			}

		};
	}

	private final class ToldObserver implements LockObserver {

		@Override
		public Attempt wanted(String name, @Nullable String declaredName, LockType type) {
			return new Attempt() {

				@Override
				public void lost(LockLoss loss) {
					LossNotifierTests.this.told.add("lost " + loss.name());
				}

			};
		}

	}

	private static final class FailingObserver implements LockObserver {

		@Override
		public Attempt wanted(String name, @Nullable String declaredName, LockType type) {
			return new Attempt() {

				@Override
				public void lost(LockLoss loss) {
					throw new InternalError("thrown on purpose");
				}

			};
		}

	}

}
