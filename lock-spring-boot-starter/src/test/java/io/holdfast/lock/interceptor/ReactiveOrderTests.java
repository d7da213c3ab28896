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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.LockRunner;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import reactor.core.publisher.Mono;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authorization.AuthorizationDeniedException;
import org.springframework.security.config.annotation.method.configuration.EnableReactiveMethodSecurity;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What docs/order.md tells, for methods that return a publisher. */
class ReactiveOrderTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	private final Steps steps = new Steps();

	@Test
	@DisabledIf("io.holdfast.lock.interceptor.RetryOrderTests#isSpringBoot35")
	void eachAttemptTakesTheLock() {
		run(RetryOrderTests.Framework.class, RetriedShop.class, (shop, other) -> {
			Lease lease = other.hold("stock:1");
			this.steps.onKey = (attempt) -> {
				if (attempt == 2) {
					lease.close();
				}
				assertThat(other.sees("stock:1")).isEqualTo(attempt == 1);
			};
			this.steps.work = (call) -> {
				assertThat(other.sees("stock:1")).isTrue();
				return (call < 2) ? Mono.error(new IllegalStateException("not yet")) : Mono.just("sold by " + call);
			};

			assertThat(shop.sell().block(LONG)).isEqualTo("sold by 2");
			assertThat(this.steps.keys).hasValue(3);
		});
	}

	@Test
	void byDefaultTheLockIsOutsideOfTheCache() {
		run(CacheOrderTests.CachesInside.class, CachedShop.class, (shop, other) -> {
			assertThat(shop.price("pen").block(LONG)).isEqualTo("call 1");
			assertThat(shop.price("pen").block(LONG)).isEqualTo("call 1");
			other.hold("price:pen");

			Mono<String> hit = shop.price("pen");

			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> hit.block(LONG));
		});
	}

	@Test
	void hitTakesNoLockIfTheCacheIsOutside() {
		run(CacheOrderTests.CachesOutside.class, CachedShop.class, (shop, other) -> {
			assertThat(shop.price("pen").block(LONG)).isEqualTo("call 1");
			other.hold("price:pen");
			other.hold("price:ink");

			assertThat(shop.price("pen").block(LONG)).isEqualTo("call 1");
			Mono<String> miss = shop.price("ink");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> miss.block(LONG));
		});
	}

	@Test
	void eachSubscriptionTakesTheLockInsideOfSecurity() {
		run(Security.class, SecuredShop.class, (shop, other) -> {
			List<Boolean> held = new ArrayList<>();
			this.steps.work = (call) -> {
				held.add(other.sees("stock:1"));
				return Mono.just("sold by " + call);
			};
			Mono<String> sale = shop.sell()
				.contextWrite(ReactiveSecurityContextHolder
					.withAuthentication(new TestingAuthenticationToken("ann", "", "ROLE_CLERK")));

			for (int i = 1; i <= 3; i++) {
				assertThat(sale.block(LONG)).isEqualTo("sold by " + i);
			}
			assertThat(held).containsExactly(true, true, true);
			assertThatExceptionOfType(AuthorizationDeniedException.class).isThrownBy(() -> shop.sell().block(LONG));
		});
	}

	@Test
	void repetitionOutsideOfSecurityTakesTheLockEachTime() {
		run(SecurityInsideOfRepeats.class, SecuredShop.class, (shop, other) -> {
			List<Boolean> held = new ArrayList<>();
			this.steps.work = (call) -> {
				held.add(other.sees("stock:1"));
				return (call < 3) ? Mono.error(new IllegalStateException("again")) : Mono.just("sold by " + call);
			};
			Mono<String> sale = shop.sell()
				.contextWrite(ReactiveSecurityContextHolder
					.withAuthentication(new TestingAuthenticationToken("ann", "", "ROLE_CLERK")));

			assertThat(sale.block(LONG)).isEqualTo("sold by 3");
			assertThat(held).containsExactly(true, true, true);
		});
	}

	@Test
	void eachSubscriptionTakesTheLockInsideOfWhatIsFurtherOutAndProceedsThen() {
		run(ProceedsWhenSubscribed.class, SecuredShop.class, (shop, other) -> {
			List<Boolean> held = new ArrayList<>();
			this.steps.work = (call) -> {
				held.add(other.sees("stock:1"));
				return Mono.just("sold by " + call);
			};
			Mono<String> sale = shop.sell();

			for (int i = 1; i <= 5; i++) {
				assertThat(sale.block(LONG)).isEqualTo("sold by " + i);
			}
			assertThat(held).hasSize(5).containsOnly(true);
		});
	}

	@Test
	void eachScheduledRunTakesTheLock() {
		run(Schedules.class, ScheduledShop.class, (shop, other) -> {
			Awaitility.await().until(() -> this.steps.calls.get() >= 2);
			Lease held = Awaitility.await()
				.until(() -> other.client().tryAcquire("clean:1").orElse(null), (lease) -> lease != null);
			int calls = this.steps.calls.get();
			int keys = this.steps.keys.get();
			Awaitility.await().until(() -> this.steps.keys.get() >= keys + 3);
			assertThat(this.steps.calls).hasValue(calls);

			held.close();

			Awaitility.await().until(() -> this.steps.calls.get() > calls);
		});
	}

	private <T> void run(Class<?> configuration, Class<T> type, LockRunner.Scenario<T> scenario) {
		LockRunner.run(LockRunner.create()
			.withUserConfiguration(configuration)
			.withBean("steps", Steps.class, () -> this.steps)
			.withBean(type), type, scenario);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableReactiveMethodSecurity
	static class Security {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Schedules {

	}

	/** What the methods do, and how often; with caches. */
	public static class Steps extends ConcurrentMapCacheManager {

		private final AtomicInteger keys = new AtomicInteger();

		private final AtomicInteger calls = new AtomicInteger();

		private IntConsumer onKey = (attempt) -> {
		};

		private IntFunction<Mono<String>> work = (call) -> Mono.just("call " + call);

		/** Gives the key of each attempt. */
		public int next() {
			this.onKey.accept(this.keys.incrementAndGet());
			return 1;
		}

		Mono<String> work() {
			return this.work.apply(this.calls.incrementAndGet());
		}

	}

	public static class RetriedShop {

		private final Steps steps;

		RetriedShop(Steps steps) {
			this.steps = steps;
		}

		@Retryable(delay = 1)
		@DistributedLock(name = "stock", key = "@steps.next()", waitTime = 0)
		public Mono<String> sell() {
			return this.steps.work();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableReactiveMethodSecurity
	static class SecurityInsideOfRepeats {

		@Bean
		Repeats repeats() {
			return new Repeats();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProceedsWhenSubscribed {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor proceedsWhenSubscribed() {
			DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
					AnnotationMatchingPointcut.forMethodAnnotation(PreAuthorize.class),
					(MethodInterceptor) (call) -> Mono.defer(() -> proceed(call)));
			advisor.setOrder(1);
			return advisor;
		}

		private static Mono<?> proceed(MethodInvocation call) {
			try {
				return (Mono<?>) call.proceed();
			}
			catch (Throwable ex) {
				return Mono.error(ex);
			}
		}

	}

	@Aspect
	@Order(1)
	public static class Repeats {

		@Around("@annotation(org.springframework.security.access.prepost.PreAuthorize)")
		public Object repeat(ProceedingJoinPoint point) throws Throwable {
			return ((Mono<?>) point.proceed()).retry(2);
		}

	}

	public static class SecuredShop {

		private final Steps steps;

		SecuredShop(Steps steps) {
			this.steps = steps;
		}

		@PreAuthorize("hasRole('CLERK')")
		@DistributedLock(name = "stock", key = "1", waitTime = 0)
		public Mono<String> sell() {
			return this.steps.work();
		}

	}

	public static class CachedShop {

		private final Steps steps;

		CachedShop(Steps steps) {
			this.steps = steps;
		}

		@Cacheable("prices")
		@DistributedLock(name = "price", key = "#article", waitTime = 0)
		public Mono<String> price(String article) {
			return this.steps.work();
		}

	}

	public static class ScheduledShop {

		private final Steps steps;

		ScheduledShop(Steps steps) {
			this.steps = steps;
		}

		@Scheduled(fixedDelay = 5)
		@DistributedLock(name = "clean", key = "@steps.next()", waitTime = 0, onContention = OnContention.SKIP)
		public Mono<String> clean() {
			return this.steps.work();
		}

	}

}
