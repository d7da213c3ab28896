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

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.holdfast.lock.annotation.DistributedLimit;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.DistributedReadLock;
import io.holdfast.lock.fixture.LockRunner;
import jakarta.annotation.PostConstruct;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Each annotated element leads to a lock on the method that runs, or the start stops and
 * says what to write.
 */
class NotLockedAsWrittenTests {

	private static final String UNREACHABLE = "Annotate a public method that other beans call, or use LockClient.execute.";

	@Test
	void mistakesAreRefused() {
		StartUpFailures.assertRefuses(Mistakes.class);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void typeThatWouldNotLockAsWrittenStopsApplication(Class<?> type, String problem) {
		LockRunner.create()
			.withBean("bean", type)
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining(problem));
	}

	static Stream<Arguments> typeThatWouldNotLockAsWrittenStopsApplication() {
		return Stream.of(
				Arguments.of(TwoLimits.class,
						"run(): it has two locks, @DistributedLimit of LimitOfFive and @DistributedLimit of "
								+ "LimitOfSix, and a method is locked by one annotation."),
				Arguments.of(TwoInterfaces.class, "run(): it has two locks, @LockA of A and @LockB of B, and"),
				Arguments.of(TwoOnType.class, "run(): it has two locks, @LockA of TwoOnType and @LockB of TwoOnType"),
				Arguments.of(FinalLimit.class,
						"@DistributedLimit on " + FinalLimit.class.getName() + ".run(): the method is final"),
				Arguments.of(MakesBean.class, "orders(): the method makes a bean"),
				Arguments.of(NothingPublic.class, "the type has no public method to lock."),
				Arguments.of(Initializes.class, "afterPropertiesSet(): Spring calls the method on the object itself"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "initialize", "close" })
	void methodThatTheDefinitionHasSpringCallStopsApplication(String method) {
		LockRunner.create()
			.withBean("bean", CalledBySpring.class, CalledBySpring::new,
					(definition) -> (method.equals("close") ? (Consumer<String>) definition::setDestroyMethodName
							: (Consumer<String>) definition::setInitMethodName)
						.accept(method))
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining(method + "(): Spring calls the method on the object itself"));
		LockRunner.create()
			.withBean("bean", Closed.class)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("close(): Spring calls the method on the object itself"));
		LockRunner.create()
			.withBean("bean", Closed.class, Closed::new, (definition) -> definition.setDestroyMethodName(""))
			.run((context) -> assertThat(context).hasNotFailed());
		LockRunner.create()
			.withBean("bean", ShutsDown.class, ShutsDown::new,
					(definition) -> definition.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD))
			.run((context) -> assertThat(context).as("Spring calls public methods").hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(
			classes = { Flushes.class, FlushesAtTheEnd.class, LazyFlushes.class, LazyStarts.class, LazyEnds.class })
	void methodThatSpringInfersAtTheEndStopsApplication(Class<?> configuration) {
		LockRunner.create().withUserConfiguration(configuration).run((context) -> {
			if (context.getStartupFailure() == null) {
				assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> context.getBean("flushed"))
					.havingRootCause()
					.withMessageContaining("(): Spring calls the method on the object itself");
			}
			else {
				assertThat(context).getFailure()
					.hasStackTraceContaining("(): Spring calls the method on the object itself");
			}
		});
	}

	@Test
	void nameOfAParameterComesBeforeThePositionOfAnother() {
		LockRunner.run(Transfers.class, (transfers, other) -> {
			transfers.transfer("A", "B", () -> {
				assertThat(other.sees("account:A")).isTrue();
				assertThat(other.sees("account:B")).isTrue();
			});
			transfers.swapped("A", "B", () -> assertThat(other.sees("swapped:A")).isTrue());
		});
	}

	@Test
	void lambdaIsLockedByTheNamesOfItsInterface() {
		assertLocked(LockRunner.create().withBean("job", Job.class, () -> (id, work) -> work.run()));
	}

	@Test
	void whatAFactoryMadeTooEarlyStopsApplication() {
		LockRunner.create()
			.withUserConfiguration(EarlyFactory.class)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("bean 'made' has no proxy, so its calls would not be locked."));
	}

	@Test
	void whatAFactoryMadeInTimeIsLocked() {
		LockRunner.run(LockRunner.create().withBean("made", MadeFactory.class), Made.class,
				(made, other) -> made.run(() -> assertThat(other.sees("made")).isTrue()));
	}

	@Test
	void asynchronousMethodOfAComposedAnnotationStarts() {
		LockRunner.create()
			.withUserConfiguration(OwnAsync.class)
			.withBean(InBackground.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void fallbackOfAGenericBaseClassIsCalled() {
		LockRunner.run(GenericSub.class, (genericSub, other) -> {
			other.hold("generic");

			assertThat(genericSub.pay(UUID.randomUUID())).isEqualTo("later");
		});
	}

	@Test
	void finalClassWhoseDefinitionHasInterfacesIsLockedByAProxyOfThese() {
		assumeThat(ClassUtils.isPresent("org.springframework.context.annotation.Proxyable", null)).as("Spring 7")
			.isTrue();
		assertLocked(LockRunner.create()
			.withBean("job", FinalJob.class, FinalJob::new,
					(definition) -> definition.setAttribute(
							"org.springframework.aop.framework.autoproxy.AutoProxyUtils.exposedInterfaces",
							new Class<?>[] { Job.class })));
	}

	private static void assertLocked(ApplicationContextRunner application) {
		LockRunner.run(application, Job.class,
				(job, other) -> job.run("7", () -> assertThat(other.sees("job:7")).isTrue()));
	}

	@Test
	void finalMethodOfALazyBeanStopsApplication() {
		LockRunner.create()
			.withBean("bean", FinalMethodOfJob.class, FinalMethodOfJob::new,
					(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("the method is final, so no proxy can lock its calls."));
	}

	@Test
	void threadThatMustNotBlockIsRefused() {
		LockRunner.create().withBean(Made.class).run((context) -> {
			Made made = context.getBean(Made.class);
			Mono<Object> call = Mono.fromCallable(() -> {
				made.run(() -> {
				});
				return "done";
			});

			assertThat(call.subscribeOn(Schedulers.parallel()).toFuture().handle((done, ex) -> ex).join())
				.isInstanceOf(IllegalStateException.class)
				.hasMessageContaining("must not wait for its lock on the event loop");
			assertThat(call.subscribeOn(Schedulers.boundedElastic()).block()).isEqualTo("done");
		});
	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "a")
	@interface LockA {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "b")
	@interface LockB {

	}

	public interface Mistakes {

		@Refused("it has two locks, ")
		@LockA
		@DistributedLock(name = "x")
		void twoAnnotations();

		@Refused("it has two locks, ")
		@LockA
		@LockB
		void twoComposedAnnotations();

		@Refused("it has two locks, ")
		@DistributedLock(name = "x")
		@DistributedLimit(name = "y", permits = 5)
		void lockAndLimit();

		@Refused("it has two locks, ")
		@DistributedReadLock(name = "x")
		@DistributedLock(name = "x")
		void readAndWrite();

		@Refused(value = "Spring calls the method on the object itself", action = UNREACHABLE)
		@PostConstruct
		@DistributedLock(name = "x")
		void load();

		@Refused(value = "the method is static, so nothing can lock its calls.", action = UNREACHABLE)
		@DistributedLock(name = "x")
		static void ofTheType() {
		}

		@Refused(value = "the method is private, so no proxy can lock its calls.", action = UNREACHABLE)
		@DistributedLock(name = "x")
		@SuppressWarnings("unused")
		private void hidden() {
		}

	}

	public interface LimitOfFive {

		@DistributedLimit(name = "x", permits = 5)
		void run();

	}

	public interface LimitOfSix {

		@DistributedLimit(name = "x", permits = 6)
		void run();

	}

	public static class TwoLimits implements LimitOfFive, LimitOfSix {

		@Override
		public void run() {
		}

	}

	public static class FinalLimit {

		@DistributedLimit(name = "x", permits = 5)
		public final void run() {
		}

	}

	@LockA
	@LockB
	public static class TwoOnType {

		public void run() {
		}

	}

	interface A {

		@LockA
		void run();

	}

	interface B {

		@LockB
		void run();

	}

	public static class TwoInterfaces implements A, B {

		@Override
		public void run() {
		}

	}

	public static class Overrides implements A, B {

		@Override
		@DistributedLock(name = "own")
		public void run() {
		}

	}

	@Configuration
	public static class MakesBean {

		@Bean
		@DistributedLock(name = "x")
		Object orders() {
			return "";
		}

	}

	@DistributedLock(name = "x")
	public static class NothingPublic {

		void run() {
		}

	}

	public static class Initializes implements InitializingBean {

		@Override
		@DistributedLock(name = "x")
		public void afterPropertiesSet() {
		}

	}

	public static class CalledBySpring {

		@DistributedLock(name = "x")
		public void initialize() {
		}

		@DistributedLock(name = "x")
		public void close() {
		}

	}

	public static class Closed implements AutoCloseable {

		@Override
		@DistributedLock(name = "x")
		public void close() {
		}

	}

	@Configuration
	public static class Flushes {

		@Bean
		Closes flushed() {
			return new Closes();
		}

	}

	@Configuration
	public static class FlushesAtTheEnd {

		@Bean
		EndsWithAShutdown flushed() {
			return new EndsWithAShutdown();
		}

	}

	@Configuration
	public static class LazyFlushes {

		@Bean
		@Lazy
		Object flushed() {
			return new EndsWithAShutdown();
		}

	}

	@Configuration
	public static class LazyStarts {

		@Bean(initMethod = "initialize")
		@Lazy
		Object flushed() {
			return new CalledBySpring();
		}

	}

	@Configuration
	public static class LazyEnds {

		@Bean
		@Lazy
		Object flushed() {
			return new CalledBySpring();
		}

	}

	public static class Closes {

		@DistributedLock(name = "x")
		public void close() {
		}

	}

	public static class EndsWithAShutdown {

		@DistributedLock(name = "x")
		public void shutdown() {
		}

	}

	public static class ShutsDown {

		@DistributedLock(name = "x")
		protected void shutdown() {
		}

	}

	public static class Transfers {

		@DistributedLock(name = "account", key = "{#a1, #a2}")
		public void transfer(String a1, String a2, Runnable work) {
			work.run();
		}

		@DistributedLock(name = "swapped", key = "#p1")
		public void swapped(String p1, String p0, Runnable work) {
			work.run();
		}

	}

	public interface Job {

		@DistributedLock(name = "job", key = "#id")
		void run(String id, Runnable work);

	}

	public static final class FinalJob implements Job {

		@Override
		public void run(String id, Runnable work) {
			work.run();
		}

	}

	public static class FinalMethodOfJob implements Job {

		@Override
		public final void run(String id, Runnable work) {
			work.run();
		}

	}

	public static class Made {

		@DistributedLock(name = "made")
		public void run(Runnable work) {
			work.run();
		}

	}

	public static class MadeFactory implements FactoryBean<Made> {

		@Override
		public Made getObject() {
			return new Made();
		}

		@Override
		public Class<?> getObjectType() {
			return Made.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyFactory {

		@Bean
		static MadeFactory made() {
			return new MadeFactory();
		}

		@Bean
		static LockedMethodsCheckTests.ImpatientPostProcessor needsIt(Made made) {
			return new LockedMethodsCheckTests.ImpatientPostProcessor();
		}

	}

	@Async
	@Retention(RetentionPolicy.RUNTIME)
	@interface Background {

	}

	@Configuration
	@EnableAsync
	static class OwnAsync {

	}

	public static class InBackground {

		@Background
		@DistributedLock(name = "x")
		public Future<String> run() {
			return CompletableFuture.completedFuture("x");
		}

	}

	public abstract static class GenericBase<T> {

		String later(T order) {
			return "later";
		}

	}

	public static class GenericSub extends GenericBase<UUID> {

		@DistributedLock(name = "generic", waitTime = 0, fallbackMethod = "later")
		public String pay(UUID order) {
			return "now";
		}

	}

}
