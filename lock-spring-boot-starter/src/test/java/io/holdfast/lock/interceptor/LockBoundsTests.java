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

package io.holdfast.lock.interceptor;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseView;
import io.holdfast.lock.Leases;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.TooManyWaitersException;
import io.holdfast.lock.annotation.DistributedLimit;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.DistributedReadLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.OtherProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** How many calls wait, and for how long they have their lock. */
class LockBoundsTests {

	@Test
	void callBehindTooManyDoesWhatItsAnnotationSays() {
		LockRunner.run(Shop.class, (shop, other) -> {
			other.hold("shop");
			CompletableFuture<Lease> waiting = waiter(other);

			assertThatExceptionOfType(TooManyWaitersException.class).isThrownBy(shop::thrown)
				.satisfies((ex) -> assertThat(ex.waiting()).isEqualTo(1));
			assertThat(shop.skipped()).isEmpty();
			assertThat(shop.replaced()).isEqualTo("1 wait");
			assertThatExceptionOfType(TooManyWaitersException.class).isThrownBy(shop::read);
			assertThatExceptionOfType(TooManyWaitersException.class).isThrownBy(shop::limited);
			assertThatExceptionOfType(TooManyWaitersException.class).isThrownBy(() -> shop.later().block());

			waiting.cancel(false);
		});
	}

	@Test
	void propertyBoundsCallsThatSayNothing() {
		LockRunner.run(LockRunner.create().withBean(Shop.class).withPropertyValues("holdfast.lock.max-waiters=1"),
				Shop.class, (shop, other) -> {
					other.hold("shop");
					CompletableFuture<Lease> waiting = waiter(other);

					assertThatExceptionOfType(TooManyWaitersException.class).isThrownBy(shop::plain);

					waiting.cancel(false);
				});
	}

	/**
	 * One with a place of its own in the queue of Redis.
	 */
	private static CompletableFuture<Lease> waiter(OtherProcess other) {
		CompletableFuture<Lease> waiting = other.client()
			.acquireAsync("shop", LockOptions.defaults().waitTime(Duration.ofSeconds(60)).maxWaiters(9))
			.toCompletableFuture();
		Awaitility.await().until(() -> other.client().directory().queue("shop", 9).size() == 1);
		return waiting;
	}

	@Test
	void callThatHasItsLockForTooLongIsToldSo() {
		LockRunner.run(Shop.class, (shop, other) -> {
			assertLost(shop::slow);
			assertThat(other.sees("shop")).isFalse();
		});
	}

	@Test
	void propertyEndsHoldsOfCallsThatSayNothingButNotThoseToBeHeldForATime() {
		LockRunner.run(LockRunner.create().withBean(Shop.class).withPropertyValues("holdfast.lock.max-hold=100ms"),
				Shop.class, (shop, other) -> {
					shop.kept();
					assertLost(() -> shop.runs(Shop::awaitLoss));

					assertThat(other.sees("shop")).isFalse();
					assertThat(other.sees("kept")).isTrue();
				});
	}

	private static void assertLost(Runnable call) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(call::run)
			.satisfies((ex) -> assertThat(ex.loss().cause()).isEqualTo(Cause.MAX_HOLD));
	}

	public static class Shop {

		@DistributedLock(name = "shop", maxWaiters = 1)
		public void thrown() {
		}

		@DistributedLock(name = "shop", maxWaiters = 1, waitTimeString = "10m", onContention = OnContention.SKIP)
		public Optional<String> skipped() {
			return Optional.of("locked");
		}

		@DistributedLock(name = "shop", maxWaiters = 1, fallbackMethod = "excuse")
		public String replaced() {
			return "locked";
		}

		String excuse(TooManyWaitersException ex) {
			return ex.waiting() + " wait";
		}

		@DistributedReadLock(name = "shop", maxWaiters = 1)
		public void read() {
		}

		@DistributedLimit(name = "shop", permits = 3, maxWaiters = 1)
		public void limited() {
		}

		@DistributedLock(name = "shop", maxWaiters = 1)
		public Mono<String> later() {
			return Mono.just("locked");
		}

		@DistributedLock("shop")
		public void plain() {
		}

		@DistributedLock(name = "shop", maxHold = "100ms")
		public void slow() {
			awaitLoss();
		}

		@DistributedLock("shop")
		public void runs(Runnable work) {
			work.run();
		}

		@DistributedLock(name = "kept", holdAtLeast = "1h")
		public void kept() {
		}

		static void awaitLoss() {
			LeaseView lease = Leases.current();
			Awaitility.await().until(() -> !lease.isValid());
		}

	}

}
