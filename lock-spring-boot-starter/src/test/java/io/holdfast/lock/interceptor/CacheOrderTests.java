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

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.fixture.TestThread;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Locks and caches of one method. */
class CacheOrderTests {

	@Test
	void hitTakesNoLock() {
		run((prices, steps, other) -> {
			assertThat(prices.of("pen")).isEqualTo("1.99");
			other.hold("price:pen");

			assertThat(prices.of("pen")).isEqualTo("1.99");
			assertThat(prices.asked()).containsExactly("pen");
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void missTakesTheLock(boolean sync) {
		run((prices, steps, other) -> {
			other.hold("price:pen");

			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> priceOf("pen", sync, prices));
			assertThat(prices.asked()).isEmpty();
		});
	}

	@Test
	void resultIsPutWhileTheLockIsHeld() {
		run((prices, steps, other) -> {
			steps.onPut = () -> assertThat(other.sees("price:pen")).isTrue();

			prices.of("pen");

			assertThat(steps.puts).containsExactly("1.99");
		});
	}

	@Test
	void resultThatAnotherOwnerHasPutMeanwhileIsFoundUnderTheLock() {
		run((prices, steps, other) -> {
			// The expression of the key comes after the first look and before the lock.
			steps.onKey = () -> steps.getCache("prices").put("pen", "2.99");

			assertThat(prices.of("pen")).isEqualTo("2.99");
			assertThat(prices.asked()).isEmpty();
		});
	}

	@Test
	void methodThatAlwaysPutsTakesTheLock() {
		run((prices, steps, other) -> {
			assertThat(prices.change("pen")).isEqualTo("3.99");
			other.hold("price:pen");

			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> prices.change("pen"));
		});
	}

	@Test
	void exceptionOfTheMethodReachesItsCaller() {
		run((prices, steps, other) -> {
			steps.onKey = () -> {
				throw new IllegalStateException("no such article");
			};

			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> prices.of("pen"))
				.withStackTraceContaining("no such article");
		});
	}

	@Test
	void waitForAnotherThreadThatComputesIsNoLongerThanThatForTheLock() throws Exception {
		run((prices, steps, other) -> {
			CountDownLatch computing = new CountDownLatch(1);
			CountDownLatch computed = new CountDownLatch(1);
			prices.onAsked(() -> {
				computing.countDown();
				await(computed);
			});
			try (TestThread<String> owner = TestThread.start(() -> prices.together("pen"));
					TestThread<String> waiter = TestThread.start(() -> {
						await(computing);
						return prices.togetherOrNot("pen");
					})) {
				assertThat(waiter.join()).isNull();
				computed.countDown();
				assertThat(owner.join()).isEqualTo("1.99");
			}
			finally {
				computed.countDown();
			}
		});
	}

	@Test
	void leaseIsNoPartOfAnExplicitKey() {
		LockRunner.create().withUserConfiguration(Caching.class).withBean(ExplicitlyKeyed.class).run((context) -> {
			ExplicitlyKeyed bean = context.getBean(ExplicitlyKeyed.class);
			for (int i = 0; i < 5; i++) {
				bean.price(7, null);
			}

			assertThat(bean.price(7, null)).isEqualTo("1.99 1");
			assertThat(((ConcurrentMapCache) context.getBean(Steps.class).getCache("prices")).getNativeCache())
				.hasSize(1);
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { DefaultCacheable.class, DefaultCachePut.class, DefaultCacheEvict.class })
	void defaultKeyThatTheLeaseIsPartOfStopsTheStart(Class<?> type) {
		LockRunner.create()
			.withUserConfiguration(Caching.class)
			.withBean(type)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockedMethodException.class)
				.hasMessageContaining(type.getSimpleName())
				.hasMessageContaining("the lease would be a part of its cache key"));
	}

	@Test
	void applicationWithoutCachesIsNotSearchedForThemAtEachCall() throws Throwable {
		AtomicInteger searches = new AtomicInteger();
		StaticListableBeanFactory beanFactory = new StaticListableBeanFactory() {

			@Override
			public <T> ObjectProvider<T> getBeanProvider(Class<T> type) {
				searches.incrementAndGet();
				return super.getBeanProvider(type);
			}

		};
		ProxyFactory proxies = new ProxyFactory(new Prices());
		proxies.addAdvice(new CachedResults(beanFactory, MethodInvocation::proceed));
		Prices prices = (Prices) proxies.getProxy();

		prices.of("pen");
		prices.of("pen");

		assertThat(searches).hasValue(1);
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String priceOf(String article, boolean sync, Prices prices) {
		return sync ? prices.together(article) : prices.of(article);
	}

	private static void run(Check check) {
		ApplicationContextRunner runner = LockRunner.create()
			.withUserConfiguration(Caching.class)
			.withBean(Prices.class);
		runner.run((context) -> {
			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				check.run(context.getBean(Prices.class), context.getBean(Steps.class), other);
			}
		});
	}

	interface Check {

		void run(Prices prices, Steps steps, OtherProcess other) throws Exception;

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Caching {

		@Bean
		Steps steps() {
			return new Steps();
		}

	}

	/** Caches that tell of what is put into them. */
	public static class Steps extends ConcurrentMapCacheManager {

		private final List<Object> puts = new CopyOnWriteArrayList<>();

		private Runnable onPut = () -> {
		};

		private Runnable onKey = () -> {
		};

		@Override
		protected Cache createConcurrentMapCache(String name) {
			return new ConcurrentMapCache(name) {

				@Override
				public void put(Object key, Object value) {
					Steps.this.puts.add(value);
					Steps.this.onPut.run();
					super.put(key, value);
				}

			};
		}

		public String key(String article) {
			this.onKey.run();
			return article;
		}

	}

	public static class Prices {

		private final List<String> asked = new CopyOnWriteArrayList<>();

		private volatile Runnable onAsked = () -> {
		};

		@Cacheable("prices")
		@DistributedLock(name = "price", key = "@steps.key(#article)", waitTime = 0)
		public String of(String article) {
			this.asked.add(article);
			return "1.99";
		}

		@Cacheable(cacheNames = "prices", sync = true)
		@DistributedLock(name = "price", key = "#article", waitTime = 0)
		public String together(String article) {
			this.asked.add(article);
			this.onAsked.run();
			return "1.99";
		}

		@Cacheable(cacheNames = "prices", sync = true)
		@DistributedLock(name = "price", key = "#article", waitTime = 0, onContention = OnContention.SKIP)
		public @Nullable String togetherOrNot(String article) {
			return "2.99";
		}

		@CachePut("prices")
		@DistributedLock(name = "price", key = "#article", waitTime = 0)
		public String change(String article) {
			return "3.99";
		}

		void onAsked(Runnable action) {
			this.onAsked = action;
		}

		List<String> asked() {
			return this.asked;
		}

	}

	public static class ExplicitlyKeyed {

		private final AtomicInteger runs = new AtomicInteger();

		@Cacheable(cacheNames = "prices", key = "#id")
		@DistributedLock(name = "price", key = "#id")
		public String price(int id, @Nullable Lease lease) {
			return "1.99 " + this.runs.incrementAndGet();
		}

		@CacheEvict(cacheNames = "prices", allEntries = true)
		@DistributedLock(name = "price", key = "#id")
		public void forgetAll(int id, @Nullable Lease lease) {
		}

	}

	public static class DefaultCacheable {

		@Cacheable("prices")
		@DistributedLock(name = "price", key = "#id")
		public String price(int id, @Nullable Lease lease) {
			return "1.99";
		}

	}

	public static class DefaultCachePut {

		@CachePut("prices")
		@DistributedLock(name = "price", key = "#id")
		public String price(int id, @Nullable Lease lease) {
			return "1.99";
		}

	}

	public static class DefaultCacheEvict {

		@CacheEvict("prices")
		@DistributedLock(name = "price", key = "#id")
		public void forget(int id, @Nullable Lease lease) {
		}

	}

}
