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

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.Leases;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.fixture.PackagePrivateTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.http.ResponseEntity;
import org.springframework.samples.Clinic;
import org.springframework.scheduling.annotation.Async;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/** What stops an application at start-up, and what does not. */
class LockedMethodsCheckTests {

	@Test
	void beanThatIsCreatedTooEarlyStopsApplication() {
		LockRunner.create()
			.withUserConfiguration(EarlyConfiguration.class)
			.run((context) -> StartUpFailures.assertFailure(context.getStartupFailure(),
					"@DistributedLock on " + Valid.class.getName()
							+ ".run(Long): bean 'early' has no proxy, so its calls would not be locked.",
					"It was created too early, usually because a BeanPostProcessor or a @Configuration that defines one "
							+ "needs it. Make that @Bean method static, or inject the bean lazily."));
	}

	@Test
	void methodThatWouldWaitForItselfInASecondProxyStopsApplication() {
		LockRunner.create()
			.withUserConfiguration(SecondCreator.class)
			.withBean("bean", Later.class)
			.run((context) -> StartUpFailures.assertFailure(context.getStartupFailure(),
					"@DistributedLock on " + Later.class.getName() + ".run(): bean 'bean' has 2 proxies that lock, and "
							+ "the inner one would wait for the outer one.",
					"Remove the second auto-proxy creator, such as a DefaultAdvisorAutoProxyCreator."));
		LockRunner.create()
			.withUserConfiguration(SecondCreator.class)
			.withBean("bean", Valid.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void objectThatIsRegisteredAsABeanIsNotLockedAndWarnedOf() {
		try (LogCapture log = LogCapture.of(LockedMethodsCheck.class.getName(), Level.WARN)) {
			LockRunner.create()
				.withInitializer((context) -> context.getBeanFactory().registerSingleton("finished", new Valid()))
				.run((context) -> assertThat(context).hasNotFailed());

			assertThat(log.lines()).singleElement()
				.asString()
				.startsWith("WARN Bean 'finished' was registered as a finished object");
		}
	}

	@Test
	void numberThatMayBeMeantInSecondsIsWarnedOf() {
		try (LogCapture log = LogCapture.of("io.holdfast.lock.interceptor.internal.annotation.LockTimes", Level.WARN)) {
			LockRunner.create().withBean("bean", ShortLease.class).run((context) -> assertThat(context).hasNotFailed());

			assertThat(log.lines()).singleElement()
				.asString()
				.contains(ShortLease.class.getName() + ".run(): leaseTime = 30 is 30ms");
		}
	}

	@Test
	void locksThatTheirKeyAloneNamesAreToldOf() {
		try (LogCapture log = LogCapture.of(LockedMethodsCheck.class.getName(), Level.INFO)) {
			LockRunner.create()
				.withBean(Nameless.class)
				.withBean(ShortLease.class)
				.run((context) -> assertThat(context).hasNotFailed());

			assertThat(log.lines()).singleElement()
				.asString()
				.startsWith("INFO The key alone names the locks of " + Nameless.class.getName() + ".run(Long). ");
		}
	}

	@Test
	void noClientStopsApplicationWithLockedMethods() {
		LockRunner.create()
			.withBean("bean", Valid.class)
			.withPropertyValues("spring.autoconfigure.exclude=" + BootLine.REDIS)
			.withClassLoader(new FilteredClassLoader("redis.clients", "io.lettuce"))
			.run((context) -> StartUpFailures.assertFailure(context.getStartupFailure(), "@DistributedLock on "
					+ Valid.class.getName()
					+ ".run(Long): there is no LockClient to use: No qualifying bean of type 'io.holdfast.lock.LockClient' available",
					"Define a LockClient bean, or have one RedisConnectionFactory, or mark one of several with "
							+ "@LockConnectionFactory or @Primary. Set holdfast.lock.enabled to false to run without any locks."));
	}

	@Test
	void validMethodsStart() {
		LockRunner.create()
			.withBean("bean", Valid.class)
			.withBean("several", ValidMethods.class)
			.withBean("overrides", NotLockedAsWrittenTests.Overrides.class)
			.withBean("future", ReturnsAsynchronously.class)
			.withBean("packagePrivate", PackagePrivateTask.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void methodOfAClassBelowThePackageOfSpringIsLocked() {
		LockRunner.create()
			.withBean(Clinic.class)
			.run((context) -> context.getBean(Clinic.class)
				.visit(() -> assertThat(Leases.current().name()).isEqualTo("visit")));
	}

	@Test
	void nothingIsKeptOfAMethodThatIsNotLocked() throws Exception {
		LockedMethods methods = new LockedMethods(new DefaultListableBeanFactory(), false);
		assertThat(methods.find(Object.class.getMethod("notify"), Object.class)).isNull();

		assertThat((Map<?, ?>) ReflectionTestUtils.getField(methods, "methods")).isEmpty();
	}

	@Async
	public static class ReturnsAsynchronously {

		@DistributedLock(name = "x")
		public Future<String> run() {
			return CompletableFuture.completedFuture("x");
		}

	}

	public static class Nameless {

		@DistributedLock(key = "#id")
		public void run(Long id) {
		}

	}

	public static class ShortLease {

		@DistributedLock(name = "x", leaseTime = 30)
		public void run() {
		}

	}

	public static class ValidMethods {

		@DistributedLock(name = "x", fair = true)
		public void fair() {
		}

		@DistributedLock(name = "x")
		public ResponseEntity<String> response() {
			return ResponseEntity.ok("x");
		}

		@DistributedLock(name = "x", leaseTimeString = "1m")
		public void leaseOfOneMinute() {
		}

		@DistributedLock(name = "x", onContention = OnContention.SKIP)
		public @Nullable String skippedNullable() {
			return "";
		}

		/** A subclass may have a region. */
		@DistributedLock(key = "#customer.region")
		public void memberOfASubclass(InvalidExpressionTests.Customer customer) {
		}

		/*
		 * No member of the one or the other, as its class declares them, is that of the
		 * call.
		 */

		@DistributedLock(key = "#root.method.name + #p0.id")
		public void call(Part root) {
		}

		@DistributedLock(key = "#type.name + #type.PREFIX")
		public void type(Class<?> type) {
		}

	}

	public record Part(long id) {
	}

	public static class Valid {

		@DistributedLock(key = "#id + {x: #p0}.toString() + #root.args.![toString()]")
		public void run(Long id) {
		}

	}

	static class ImpatientPostProcessor implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyConfiguration {

		@Bean
		static Valid early() {
			return new Valid();
		}

		@Bean
		static ImpatientPostProcessor impatient(Valid early) {
			return new ImpatientPostProcessor();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SecondCreator {

		@Bean
		static DefaultAdvisorAutoProxyCreator secondCreator() {
			DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
			creator.setProxyTargetClass(true);
			return creator;
		}

	}

	public static class Later {

		@DistributedLock(name = "later")
		public CompletableFuture<String> run() {
			return CompletableFuture.completedFuture("done");
		}

	}

}
