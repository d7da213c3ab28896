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

import io.holdfast.lock.LockException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.OtherProcess;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A fallback for all methods of a locked type. */
class TypeFallbackTests {

	@Test
	void publicFallbackOfALockedTypeIsCalledForEachMethod() {
		LockRunner.create().withBean(Shop.class).run((context) -> {
			assertThat(context).hasNotFailed();
			Shop shop = context.getBean(Shop.class);
			assertThat(shop.pay(7L)).isEqualTo("paid 7");
			try (OtherProcess other = new OtherProcess(context)) {
				other.hold("shop");

				assertThat(shop.pay(7L)).isEqualTo("without lock: LockNotAcquiredException");
				assertThat(shop.close()).isEqualTo("without lock: LockNotAcquiredException");
				assertThat(shop.later(new LockNotAcquiredException("shop", Duration.ZERO, "taken")))
					.startsWith("without lock");
			}
		});
	}

	@Test
	void publicFallbackWithTheSameParametersIsCalled() {
		LockRunner.run(Till.class, (till, other) -> {
			other.hold("till");

			assertThat(till.open(3)).isEqualTo(-3);
		});
	}

	@Test
	void methodWithTheNameOfTheFallbackThatFitsNoOtherIsNotLeftUnlocked() {
		LockRunner.create()
			.withBean(Misfit.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("fallbackMethod \"later\" does not "));
	}

	@Test
	void methodThatMayBeBothLockedAndAFallbackStopsTheStart() {
		LockRunner.create()
			.withBean(Orders.class)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("@DistributedLock on " + Orders.class.getName()));
	}

	@Test
	void methodWithAFallbackIsNoneOfOneThatHasItsOwnLock() {
		LockRunner.create()
			.withBean(Accounts.class)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("Accounts.pay(Long): the method fits as a fallback of another"));
	}

	@DistributedLock(name = "account", key = "#id", fallbackMethod = "pay")
	public static class Accounts {

		public void pay(Long id) {
		}

		public void pay(Long id, LockException cause) {
		}

		@DistributedLock(name = "refund", key = "#id")
		public void refund(Long id) {
		}

	}

	@DistributedLock(name = "shop", waitTime = 0, fallbackMethod = "later")
	public static class Shop {

		public String pay(Long order) {
			return "paid " + order;
		}

		public String close() {
			return "closed";
		}

		public String later(LockException cause) {
			return "without lock: " + cause.getClass().getSimpleName();
		}

	}

	@DistributedLock(name = "till", waitTime = 0, fallbackMethod = "later")
	public static class Till {

		public int open(int number) {
			return number;
		}

		public int later(int number) {
			return -number;
		}

	}

	@DistributedLock(name = "orders", fallbackMethod = "process")
	public static class Orders {

		public void process(Long order) {
		}

		public void process(Long order, LockException cause) {
		}

		public void save(Long order) {
		}

	}

	@DistributedLock(name = "till", waitTime = 0, fallbackMethod = "later")
	public static class Misfit {

		public int open(int number) {
			return number;
		}

		public int later(String text) {
			return 0;
		}

	}

}
