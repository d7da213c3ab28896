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

package io.holdfast.lock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.interceptor.ActiveTransaction;
import io.holdfast.lock.interceptor.LockAdvisor;
import io.holdfast.lock.interceptor.LockSettings;
import io.holdfast.lock.interceptor.LockStartUpException;
import io.holdfast.lock.interceptor.LockedMethodsCheck;
import io.holdfast.lock.interceptor.OnLostLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** That annotated methods are locked however an application sets up its proxies. */
class LockAnnotationAutoConfigurationTests {

	private static final String BY_INTERFACE = "spring.aop.proxy-target-class=false";

	private static final ApplicationContextRunner RUNNER = LockRunner.create().withBean(Counter.class);

	@ParameterizedTest
	@MethodSource
	void locksMethodsWhateverMakesProxies(ApplicationContextRunner application, boolean byClass) {
		application.run((context) -> {
			assertThat(AopUtils.isCglibProxy(context.getBean(Counting.class))).isEqualTo(byClass);
			assertLocked(context);
		});
	}

	static Stream<Arguments> locksMethodsWhateverMakesProxies() {
		ApplicationContextRunner withoutAspectJ = RUNNER.withClassLoader(new FilteredClassLoader("org.aspectj"));
		return Stream.of(Arguments.of(RUNNER, true), Arguments.of(withoutAspectJ, true),
				Arguments.of(RUNNER.withPropertyValues(BY_INTERFACE), false),
				Arguments.of(withoutAspectJ.withPropertyValues(BY_INTERFACE), false),
				Arguments.of(RUNNER.withPropertyValues("spring.aop.auto=false"), true),
				Arguments.of(new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(BootLine.locks()))
					.withPropertyValues(LockRunner.properties())
					.withBean(Counter.class), true));
	}

	@Test
	void backsOffIfApplicationHasItsOwnAdvisorAndCheck() {
		RUNNER.withUserConfiguration(OwnAdvisorAndCheck.class).run((context) -> {
			assertThat(context).hasSingleBean(LockAdvisor.class)
				.hasBean("myAdvisor")
				.hasSingleBean(LockedMethodsCheck.class)
				.hasBean("myCheck");
			assertLocked(context);
		});
	}

	@Test
	void createsNoBeanTooEarly() {
		try (LogCapture log = LogCapture.of("org.springframework.context.support", Level.DEBUG)) {
			RUNNER.run(LockAnnotationAutoConfigurationTests::assertLocked);

			assertThat(log.lines()).noneMatch((line) -> line.contains("not eligible"));
		}
	}

	@Test
	void lazyApplicationLocksMethods() {
		RUNNER
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run(LockAnnotationAutoConfigurationTests::assertLocked);
	}

	@Test
	void lazyApplicationWithInvalidMethodDoesNotStart() {
		RUNNER
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withBean(Unreachable.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockStartUpException.class)
				.hasMessageContaining("the method is final"));
	}

	@Test
	void locksMethodsOfAChildContext() {
		ApplicationContextRunner family = LockRunner.create().withClassLoader(new FilteredClassLoader("org.aspectj"));
		family.run((parent) -> {
			family.withParent(parent).withBean(Counter.class).run((child) -> {
				assertLocked(child);
				assertThat(child).hasBean("lockedMethodsCheck").hasSingleBean(LockClient.class);
			});
			family.withParent(parent)
				.withBean(Unreachable.class)
				.run((child) -> assertThat(child).getFailure().hasMessageContaining("final"));

			assertThat(parent.getBean(LockClient.class).getLock("a").tryLock()).isTrue();
		});
	}

	@Test
	void disabledLocksLockNothing() {
		RUNNER.withPropertyValues("holdfast.lock.enabled=false").run((context) -> {
			assertThat(context).doesNotHaveBean(LockAdvisor.class).doesNotHaveBean(LockedMethodsCheck.class);
			assertThat(AopUtils.isAopProxy(context.getBean(Counting.class))).isFalse();
		});
	}

	private static void assertLocked(ApplicationContext context) {
		LockClient client = context.getBean(LockClient.class);

		assertThat(context.getBean(Counting.class).holdCount(client)).isEqualTo(1);
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnAdvisorAndCheck {

		@Bean
		static LockAdvisor myAdvisor(ConfigurableListableBeanFactory beanFactory, ObjectProvider<LockClient> client) {
			LockSettings settings = new LockSettings(Duration.ZERO, LockOptions.WATCHDOG,
					ActiveTransaction.RELEASE_AFTER_COMPLETION, OnLostLock.REFUSE_COMMIT, List.of(), List.of());
			return new LockAdvisor(beanFactory, client::getObject, () -> settings);
		}

		@Bean
		static LockedMethodsCheck myCheck(ConfigurableListableBeanFactory beanFactory, LockAdvisor advisor) {
			return new LockedMethodsCheck(beanFactory, advisor);
		}

	}

	public static class Unreachable {

		@DistributedLock(name = "x")
		public final void run() {
		}

	}

	public interface Counting {

		int holdCount(LockClient client);

	}

	public static class Counter implements Counting {

		@Override
		@DistributedLock(name = "counter")
		public int holdCount(LockClient client) {
			return client.getLock("counter").holdCount();
		}

	}

}
