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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authorization.AuthorizationDeniedException;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What docs/order.md tells, for methods that return a stage. */
class StageOrderTests {

	@Test
	void byDefaultTheLockIsOutsideOfTheCache() {
		run(CacheOrderTests.CachesInside.class, CachedShop.class, (shop, other) -> {
			assertThat(get(shop.price("pen"))).isEqualTo("call 1");
			assertThat(get(shop.price("pen"))).isEqualTo("call 1");
			other.hold("price:pen");

			assertNotAcquired(shop.price("pen"));
		});
	}

	@Test
	void hitTakesNoLockIfTheCacheIsOutside() {
		run(CacheOrderTests.CachesOutside.class, CachedShop.class, (shop, other) -> {
			assertThat(get(shop.price("pen"))).isEqualTo("call 1");
			other.hold("price:pen");
			other.hold("price:ink");

			assertThat(get(shop.price("pen"))).isEqualTo("call 1");
			assertNotAcquired(shop.price("ink"));
		});
	}

	@Test
	void threadThatRunsTheMethodTakesTheLockUntilTheStageIsDone() {
		run(Asynchronous.class, AsynchronousShop.class, (shop, other) -> {
			CompletableFuture<String> result = shop.sell();
			Awaitility.await().until(() -> shop.thread() != null);
			assertThat(shop.thread()).isNotSameAs(Thread.currentThread());
			assertThat(other.sees("stock:1")).isTrue();
			assertThat(result).isNotDone();

			shop.end();

			assertThat(get(result)).isEqualTo("sold");
			assertThat(other.sees("stock:1")).isFalse();
		});
	}

	@Test
	void whoIsNotAllowedTakesNoLock() {
		run(Security.class, SecuredShop.class, (shop, other) -> {
			other.hold("stock:1");
			SecurityContextHolder.getContext()
				.setAuthentication(new TestingAuthenticationToken("ann", "", "ROLE_GUEST"));
			try {
				assertThatExceptionOfType(AuthorizationDeniedException.class).isThrownBy(shop::sell);
			}
			finally {
				SecurityContextHolder.clearContext();
			}
		});
	}

	private static <T> void run(Class<?> configuration, Class<T> type, LockRunner.Scenario<T> scenario) {
		LockRunner.run(LockRunner.create()
			.withUserConfiguration(configuration)
			.withBean(ConcurrentMapCacheManager.class)
			.withBean(type), type, scenario);
	}

	private static String get(CompletableFuture<String> future) throws Exception {
		return future.get(20, TimeUnit.SECONDS);
	}

	private static void assertNotAcquired(CompletableFuture<String> future) {
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(future))
			.withCauseInstanceOf(LockNotAcquiredException.class);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Asynchronous {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableMethodSecurity
	static class Security {

	}

	public static class CachedShop {

		private final AtomicInteger calls = new AtomicInteger();

		@Cacheable("prices")
		@DistributedLock(name = "price", key = "#article", waitTime = 0)
		public CompletableFuture<String> price(String article) {
			return CompletableFuture.completedFuture("call " + this.calls.incrementAndGet());
		}

	}

	public static class AsynchronousShop {

		private final CompletableFuture<String> sale = new CompletableFuture<>();

		private volatile @Nullable Thread thread;

		public @Nullable Thread thread() {
			return this.thread;
		}

		public void end() {
			this.sale.complete("sold");
		}

		@Async
		@DistributedLock(name = "stock", key = "1", waitTime = 0)
		public CompletableFuture<String> sell() {
			this.thread = Thread.currentThread();
			return this.sale;
		}

	}

	public static class SecuredShop {

		@PreAuthorize("hasRole('CLERK')")
		@DistributedLock(name = "stock", key = "1", waitTime = 0)
		public CompletableFuture<String> sell() {
			return CompletableFuture.completedFuture("sold");
		}

	}

}
