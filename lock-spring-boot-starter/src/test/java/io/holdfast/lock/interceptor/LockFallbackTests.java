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

import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.lock.LockException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.LockRunner;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Which method is called instead of one that did not get its lock. */
class LockFallbackTests {

	@Test
	void fallbackGetsArgumentsOrExceptionOrBoth() {
		withLockHeldByAnother((shop) -> {
			assertThat(shop.plain("pen", 3)).isEqualTo("no lock for 3 pen");
			assertThat(shop.brief("pen", 3)).isEqualTo("lock 'shop'");
			assertThat(shop.explained("pen")).isEqualTo("pen: LockNotAcquiredException");
		});
	}

	@Test
	void otherAnnotationsOfFallbackHold() {
		LockRunner.run(Shop.class, (shop, other) -> {
			other.hold("shop");

			assertThat(shop.guarded(() -> other.sees("till"))).isEqualTo(true);
		});
	}

	@Test
	void otherAnnotationsOfFallbackHoldBehindAnInterface() {
		LockRunner.run(LockRunner.create()
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean(LockedCounter.class), WorkCounter.class, (counter, other) -> {
				other.hold("shop");

				assertThat(counter.guarded(() -> other.sees("till"))).isEqualTo(true);
			});
	}

	@Test
	void fallbackThatProxyDoesNotHaveIsCalledOnTarget() {
		withLockHeldByAnother((shop) -> {
			assertThat(shop.hidden()).isEqualTo("Ann");
			assertThat(shop.sealed()).isEqualTo("Ann");
		});
		LockRunner.run(OwnedShop.class, (shop, other) -> {
			other.hold("shop");

			assertThat(shop.owner()).isEqualTo("Ann");
		});
	}

	@Test
	void fallbackIsNotCalledWhenLockIsAcquired() {
		LockRunner.create()
			.withBean(Shop.class)
			.run((context) -> assertThat(context.getBean(Shop.class).failing("pen")).isEqualTo("locked"));
	}

	@Test
	void exceptionOfFallbackIsThrown() {
		withLockHeldByAnother(
				(shop) -> assertThatExceptionOfType(SoldOutException.class).isThrownBy(() -> shop.throwing("pen"))
					.withNoCause());
	}

	@Test
	void fallbackOfSuperclassIsCalledUnlessItIsOverridden() {
		LockRunner.run(Bookshop.class, (bookshop, other) -> {
			other.hold("shop");

			assertThat(bookshop.book("Emma", 1)).isEqualTo("no lock for 1 Emma");
			assertThat(bookshop.explained("Emma")).isEqualTo("book Emma");
		});
	}

	@Test
	void failureOfServerGoesOnlyToFallbackThatTakesIt() {
		LockRunner.create().withBean(Shop.class).withPropertyValues("spring.data.redis.port=1").run((context) -> {
			Shop shop = context.getBean(Shop.class);
			assertThat(shop.failing("pen")).isEqualTo("failed: LockServerException");
			assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> shop.plain("pen", 3));
			assertThatExceptionOfType(LockServerException.class).isThrownBy(shop::skipped);
		});
	}

	private static void withLockHeldByAnother(Consumer<Shop> test) {
		LockRunner.run(Shop.class, (shop, other) -> {
			other.hold("shop");
			test.accept(shop);
		});
	}

	static class SoldOutException extends RuntimeException {

	}

	public static class Shop {

		private final String owner = name();

		private static String name() {
			return "Ann";
		}

		@DistributedLock(name = "shop", waitTime = 0, fallbackMethod = "excuse")
		public String brief(String article, int count) {
			return "locked";
		}

		String excuse(LockNotAcquiredException cause) {
			return "lock '" + cause.lockName() + "'";
		}

		@DistributedLock(name = "shop", waitTime = 0, fallbackMethod = "till")
		public Object guarded(Supplier<Object> work) {
			return "locked";
		}

		@DistributedLock(name = "till")
		Object till(Supplier<Object> work) {
			return work.get();
		}

		@DistributedLock(name = "shop", waitTime = 0, fallbackMethod = "hiddenOwner")
		public String hidden() {
			return "locked";
		}

		@SuppressWarnings("unused")
		private String hiddenOwner() {
			return this.owner;
		}

		@DistributedLock(name = "shop", waitTime = 0, fallbackMethod = "sealedOwner")
		public String sealed() {
			return "locked";
		}

		public final String sealedOwner() {
			return this.owner;
		}

		@DistributedLock(name = "shop", waitTime = 0, fallbackMethod = "noLock")
		public String plain(String article, int count) {
			return "locked";
		}

		@SuppressWarnings("unused")
		private String noLock(String article, int count) {
			return "no lock for " + count + " " + article;
		}

		@DistributedLock(name = "shop", waitTime = 0, fallbackMethod = "explain")
		public Object explained(String article) {
			return "locked";
		}

		String explain(String article, Throwable cause) {
			return article + ": " + cause.getClass().getSimpleName();
		}

		@DistributedLock(name = "shop", waitTime = 0, fallbackMethod = "failed")
		public String failing(String article) {
			return "locked";
		}

		static String failed(String article, LockException cause) {
			return "failed: " + cause.getClass().getSimpleName();
		}

		@DistributedLock(name = "shop", waitTime = 0, fallbackMethod = "soldOut")
		public String throwing(String article) {
			return "locked";
		}

		String soldOut(String article) {
			throw new SoldOutException();
		}

		@DistributedLock(name = "shop", waitTime = 0, onContention = OnContention.SKIP)
		public @Nullable String skipped() {
			return "locked";
		}

	}

	interface Counter<T> {

		Object guarded(T work);

		Object till(T work);

	}

	interface WorkCounter extends Counter<Supplier<Object>> {

	}

	static class LockedCounter implements WorkCounter {

		@Override
		@DistributedLock(name = "shop", waitTime = 0, fallbackMethod = "till")
		public Object guarded(Supplier<Object> work) {
			return "locked";
		}

		@Override
		@DistributedLock(name = "till")
		public Object till(Supplier<Object> work) {
			return work.get();
		}

	}

	public interface Owned {

		String sealedOwner();

	}

	public static class OwnedShop extends Shop implements Owned {

		@DistributedLock(name = "shop", waitTime = 0, fallbackMethod = "sealedOwner")
		public String owner() {
			return "locked";
		}

	}

	public static class Bookshop extends Shop {

		@Override
		String explain(String article, Throwable cause) {
			return "book " + article;
		}

		@DistributedLock(name = "shop", waitTime = 0, fallbackMethod = "noLock")
		public String book(String title, int count) {
			return "locked";
		}

	}

}
