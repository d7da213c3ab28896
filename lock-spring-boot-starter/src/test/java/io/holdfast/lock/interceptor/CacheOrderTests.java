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

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.LockRunner;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.cache.Cache;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Locks and caches of one method, in the order that docs/order.md tells. */
class CacheOrderTests {

	private final Steps steps = new Steps();

	@Test
	void byDefaultTheLockIsOutsideOfTheCache() {
		run(CachesInside.class, (prices, other) -> {
			this.steps.onPut = () -> assertThat(other.sees("price:pen")).isTrue();
			assertThat(prices.of("pen")).isEqualTo("1.99");
			assertThat(this.steps.puts).isOne();
			other.hold("price:pen");

			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> prices.of("pen"));
		});
	}

	@Test
	void hitTakesNoLockIfTheCacheIsOutside() {
		run(CachesOutside.class, (prices, other) -> {
			this.steps.onPut = () -> assertThat(other.sees("price:pen")).isFalse();
			assertThat(prices.of("pen")).isEqualTo("1.99");
			assertThat(this.steps.puts).isOne();
			other.hold("price:pen");
			other.hold("price:ink");

			assertThat(prices.of("pen")).isEqualTo("1.99");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> prices.of("ink"));
		});
	}

	@Test
	void skippedCallIsCachedByACacheOutsideUnlessThatIsExcluded() {
		run(CachesOutside.class, (prices, other) -> {
			try (Lease pen = other.hold("price:pen")) {
				assertThat(prices.ifFree("pen")).isNull();
				assertThat(prices.ifFreeOrLater("pen")).isNull();
			}

			assertThat(prices.ifFree("pen")).isNull();
			assertThat(prices.ifFreeOrLater("pen")).isEqualTo("1.99");
		});
	}

	private void run(Class<?> caching, LockRunner.Scenario<Prices> scenario) {
		LockRunner.run(LockRunner.create()
			.withUserConfiguration(caching)
			.withBean(Steps.class, () -> this.steps)
			.withBean(Prices.class), Prices.class, scenario);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class CachesInside {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(order = Ordered.LOWEST_PRECEDENCE - 100)
	static class CachesOutside {

	}

	/** Caches that tell of what is put into them. */
	public static class Steps extends ConcurrentMapCacheManager {

		private int puts;

		private Runnable onPut = () -> {
		};

		@Override
		protected Cache createConcurrentMapCache(String name) {
			return new ConcurrentMapCache(name) {

				@Override
				public void put(Object key, Object value) {
					Steps.this.puts++;
					Steps.this.onPut.run();
					super.put(key, value);
				}

			};
		}

	}

	public static class Prices {

		@Cacheable("prices")
		@DistributedLock(name = "price", key = "#article", waitTime = 0)
		public String of(String article) {
			return "1.99";
		}

		@Cacheable("offers")
		@DistributedLock(name = "price", key = "#article", onContention = OnContention.SKIP)
		public @Nullable String ifFree(String article) {
			return "1.99";
		}

		@Cacheable(cacheNames = "later", unless = "#result == null")
		@DistributedLock(name = "price", key = "#article", onContention = OnContention.SKIP)
		public @Nullable String ifFreeOrLater(String article) {
			return "1.99";
		}

	}

}
