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

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.resilience4j.bulkhead.annotation.Bulkhead;
import io.github.resilience4j.retry.annotation.Retry;
import io.holdfast.lock.Lease;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Retryable;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/** Locks and retries of one method: each attempt is one for the lock, too. */
@DisabledIf("isSpringBoot35")
class RetryOrderTests {

	private static final String RESILIENCE4J = "io.github.resilience4j.springboot.";

	private final Attempts attempts = new Attempts();

	static boolean isSpringBoot35() {
		return !ClassUtils.isPresent("org.springframework.resilience.annotation.Retryable", null);
	}

	static Stream<ApplicationContextRunner> libraries() {
		return Stream.of(springRetry(), withoutAspectJ(springRetry()), framework(), withoutAspectJ(framework()),
				resilience4j());
	}

	@ParameterizedTest
	@MethodSource("libraries")
	void lockThatIsTakenIsTriedAgain(ApplicationContextRunner library) {
		run(library, (shop, other) -> {
			Lease lease = other.hold("stock:1");
			this.attempts.onSecond = lease::close;

			assertThat(shop.sell(1)).isEqualTo("sold by 1");
			assertThat(this.attempts.count()).isEqualTo(2);
		});
	}

	@ParameterizedTest
	@MethodSource("libraries")
	void lockIsReleasedBetweenAttempts(ApplicationContextRunner library) {
		run(library, (shop, other) -> {
			this.attempts.onSecond = () -> assertThat(other.sees("stock:1")).isFalse();

			assertThat(shop.sell(2)).isEqualTo("sold by 2");
			assertThat(this.attempts.count()).isEqualTo(2);
		});
	}

	@Test
	void bulkheadIsInsideOfTheLock() {
		resilience4j().withBean("attempts", Attempts.class).withBean(Guarded.class).run((context) -> {
			Advisor[] advisors = ((Advised) context.getBean(Guarded.class)).getAdvisors();
			List<String> order = Arrays.stream(advisors)
				.map((advisor) -> (advisor instanceof LockAdvisor) ? "lock" : advisor.toString())
				.map((text) -> text.contains("Bulkhead") ? "bulkhead" : text.contains("Retry") ? "retry" : text)
				.filter((text) -> List.of("lock", "bulkhead", "retry").contains(text))
				.toList();

			assertThat(order).containsExactly("retry", "lock", "bulkhead");
		});
	}

	private static ApplicationContextRunner springRetry() {
		return LockRunner.create().withUserConfiguration(SpringRetry.class).withBean(Shop.class, SpringRetryShop::new);
	}

	private static ApplicationContextRunner framework() {
		return LockRunner.create().withUserConfiguration(Framework.class).withBean(Shop.class, FrameworkShop::new);
	}

	private static ApplicationContextRunner resilience4j() {
		return LockRunner.create()
			.withConfiguration(AutoConfigurations.of(Stream
				.of("retry.autoconfigure.RetryAutoConfiguration", "bulkhead.autoconfigure.BulkheadAutoConfiguration")
				.map((name) -> ClassUtils.resolveClassName(RESILIENCE4J + name, null))
				.toArray(Class<?>[]::new)))
			.withPropertyValues("resilience4j.retry.instances.shop.wait-duration=1ms")
			.withBean(Shop.class, Resilience4jShop::new);
	}

	private static ApplicationContextRunner withoutAspectJ(ApplicationContextRunner runner) {
		return runner.withClassLoader(new FilteredClassLoader("org.aspectj"));
	}

	private void run(ApplicationContextRunner library, LockRunner.Scenario<Shop> scenario) {
		LockRunner.run(library.withBean("attempts", Attempts.class, () -> this.attempts), Shop.class, scenario);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry
	static class SpringRetry {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Framework {

	}

	/** Gives the key of each attempt. */
	public static class Attempts {

		private final AtomicInteger count = new AtomicInteger();

		private Runnable onSecond = () -> {
		};

		public int next() {
			if (this.count.incrementAndGet() == 2) {
				this.onSecond.run();
			}
			return 1;
		}

		int count() {
			return this.count.get();
		}

	}

	/** Sells at the attempt that it is told. */
	public abstract static class Shop {

		private int calls;

		public abstract String sell(int atCall);

		String doSell(int atCall) {
			this.calls++;
			if (this.calls < atCall) {
				throw new IllegalStateException("not yet");
			}
			return "sold by " + this.calls;
		}

	}

	public static class SpringRetryShop extends Shop {

		@Override
		@Retryable(backoff = @Backoff(delay = 1))
		@DistributedLock(name = "stock", key = "@attempts.next()", waitTime = 0)
		public String sell(int atCall) {
			return doSell(atCall);
		}

	}

	public static class FrameworkShop extends Shop {

		@Override
		@org.springframework.resilience.annotation.Retryable(delay = 1)
		@DistributedLock(name = "stock", key = "@attempts.next()", waitTime = 0)
		public String sell(int atCall) {
			return doSell(atCall);
		}

	}

	public static class Resilience4jShop extends Shop {

		@Override
		@Retry(name = "shop")
		@DistributedLock(name = "stock", key = "@attempts.next()", waitTime = 0)
		public String sell(int atCall) {
			return doSell(atCall);
		}

	}

	public static class Guarded {

		@Bulkhead(name = "shop")
		@Retry(name = "shop")
		@DistributedLock(name = "guarded")
		public void run() {
		}

	}

}
