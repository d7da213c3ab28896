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

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LeaseView;
import io.holdfast.lock.Leases;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.fixture.TestThread;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The lease of a locked method, from {@link Leases}. */
class LeaseInMethodTests {

	@Test
	void methodFindsTheLeaseOfItsLock() {
		run((shop, other) -> {
			long before = shop.pay(7L, (lease) -> {
				assertThat(lease.isValid()).isTrue();
				assertThat(lease.name()).isEqualTo("order:7");
				assertThat(lease.token()).isEqualTo(tokenOf(other, "order:7"));
				return lease.token();
			});

			assertThat(shop.pay(7L, LeaseView::token)).isGreaterThan(before);
			assertThat(other.sees("order:7")).isFalse();
		});
	}

	@Test
	void methodThatNeedsNoLockHasNoLease() {
		run((shop, other) -> {
			assertThatIllegalStateException().isThrownBy(() -> shop.conditional(false));
			assertThat(shop.conditional(true)).isNotNull();
		});
	}

	@Test
	void fallbackHasNoLease() {
		run((shop, other) -> {
			other.hold("busy");

			assertThatIllegalStateException().isThrownBy(shop::busy);
		});
	}

	@Test
	void leaseIsNotValidWhenTheMethodHasReturned() {
		run((shop, other) -> {
			LeaseView[] kept = new LeaseView[1];
			shop.pay(7L, (lease) -> {
				kept[0] = lease;
				return 0L;
			});

			assertThat(kept[0].isValid()).isFalse();
		});
	}

	@Test
	void lossIsSeenByTheMethodAndItsToken() {
		run((shop, other) -> assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> shop.pay(7L, (lease) -> {
				long token = lease.token();
				other.takeByForce("order:7");
				Awaitility.await().until(() -> !lease.isValid());
				assertThat(Leases.current().isValid()).isFalse();
				assertThat(Leases.current("order:7").token()).isEqualTo(token);
				return 0L;
			})));
	}

	@Test
	void currentIsTheLeaseOfTheInnermostMethod() {
		run((shop, other) -> {
			shop.pay(7L, (outer) -> {
				assertThat(Leases.current().token()).isEqualTo(outer.token());
				shop.pay(8L, (inner) -> {
					assertThat(Leases.current().name()).isEqualTo("order:8");
					assertThat(Leases.current("order:7").token()).isEqualTo(outer.token());
					return 0L;
				});
				return shop.pay(7L, (again) -> {
					assertThat(again.token()).isEqualTo(outer.token());
					return 0L;
				});
			});

			assertThatIllegalStateException().isThrownBy(Leases::current)
				.withMessageContaining("is in no method with @DistributedLock that holds its lock");
		});
	}

	@Test
	void thereIsNoLeaseOutsideOfALockedMethodOrForAnotherLockOrOnAnotherThread() {
		run((shop, other) -> shop.pay(7L, (lease) -> {
			assertThatIllegalStateException().isThrownBy(() -> Leases.current("order:8"))
				.withMessageContaining("is in no method with @DistributedLock that holds lock 'order:8'");
			try (TestThread<LeaseView> thread = TestThread.start(Leases::current)) {
				assertThatIllegalStateException().isThrownBy(thread::join);
			}
			return 0L;
		}));
	}

	@Test
	void asynchronousMethodFindsItsLeaseOnItsThread() {
		LockRunner.create().withUserConfiguration(WithAsync.class).withBean(Mailer.class).run((context) -> {
			CompletableFuture<String> sent = context.getBean(Mailer.class).send(7L);

			assertThat(sent.get(20, TimeUnit.SECONDS)).isEqualTo("mail:7");
		});
	}

	@Test
	void locksOfTheClientAreNoLeasesHere() {
		run((shop, other) -> shop.client().executeWithoutResult("mine", (mine) -> {
			assertThatIllegalStateException().isThrownBy(Leases::current);
			assertThatIllegalStateException().isThrownBy(() -> shop.conditional(false));
			shop.pay(7L, (lease) -> {
				assertThatIllegalStateException().isThrownBy(() -> Leases.current("mine"));
				return 0L;
			});
		}));
	}

	@Test
	void codeWithoutSpringIsGivenItsLease() {
		run((shop, other) -> {
			LockClient client = shop.client();
			client.executeWithoutResult("order:7", (lease) -> {
				Shop plain = new Shop(client);
				long token = Leases.call(lease, (same) -> plain.pay(7L, LeaseView::token));
				assertThat(token).isEqualTo(lease.token());
			});
		});
	}

	private static long tokenOf(OtherProcess other, String name) {
		return other.client().directory().find(name).orElseThrow().token();
	}

	private static void run(LockRunner.Scenario<Shop> scenario) {
		LockRunner.run(Shop.class, scenario);
	}

	interface Work<T> {

		T run(LeaseView lease) throws Exception;

	}

	public static class Shop {

		private final LockClient client;

		Shop(LockClient client) {
			this.client = client;
		}

		public LockClient client() {
			return this.client;
		}

		@DistributedLock(name = "order", key = "#id")
		public long pay(Long id, Work<Long> work) throws Exception {
			return work.run(Leases.current());
		}

		@DistributedLock(name = "conditional", condition = "#locked")
		public LeaseView conditional(boolean locked) {
			return Leases.current();
		}

		@DistributedLock(name = "busy", waitTime = 0, fallbackMethod = "later")
		public LeaseView busy() {
			throw new AssertionError("The method must not run");
		}

		LeaseView later() {
			return Leases.current();
		}

	}

	@Configuration
	@EnableAsync
	static class WithAsync {

	}

	public static class Mailer {

		@Async
		@DistributedLock(name = "mail", key = "#id")
		public CompletableFuture<String> send(Long id) {
			return CompletableFuture.completedFuture(Leases.current().name());
		}

	}

}
