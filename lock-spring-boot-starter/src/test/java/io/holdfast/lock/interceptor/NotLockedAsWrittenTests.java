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
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.OtherProcess;
import jakarta.annotation.PostConstruct;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.asm.ClassWriter;
import org.springframework.asm.Opcodes;
import org.springframework.asm.Type;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Each annotated element leads to a lock on the method that runs, or the start stops and
 * says what to write.
 */
class NotLockedAsWrittenTests {

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void elementThatWouldNotLockAsWrittenStopsApplication(Class<?> type, String problem) {
		LockRunner.create()
			.withBean("bean", type)
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining(problem));
	}

	static Stream<Arguments> elementThatWouldNotLockAsWrittenStopsApplication() {
		return Stream.of(Arguments.of(TwoAnnotations.class, "run(): it has two locks, "),
				Arguments.of(TwoComposedAnnotations.class, "run(): it has two locks, "),
				Arguments.of(TwoInterfaces.class, "run(): it has two locks, "),
				Arguments.of(TwoOnType.class, "run(): it has two locks, "),
				Arguments.of(NothingPublic.class, "the type has no public method to lock."),
				Arguments.of(MakesBean.class, "orders(): the method makes a bean"),
				Arguments.of(Loads.class, "load(): Spring calls the method on the object itself"),
				Arguments.of(Initializes.class, "afterPropertiesSet(): Spring calls the method on the object itself"),
				Arguments.of(SkippedNonNull.class, "a call that was skipped returns null"),
				Arguments.of(MissingMember.class, "uses idd, and there is no such member in "),
				Arguments.of(MissingMethod.class, "uses idd(), and there is no such member in "),
				Arguments.of(MissingMemberOfElement.class, "uses idd, and there is no such member in "),
				Arguments.of(MissingMemberInCondition.class, "condition \"#order.paidd\" uses paidd"),
				Arguments.of(EntityKey.class, "EntityKey$Customer has no canonical text"),
				Arguments.of(DoubleKey.class, "key \"#p0\" is no key: java.lang.Double"),
				Arguments.of(ZonedKey.class, "java.time.OffsetDateTime has no canonical text"),
				Arguments.of(EntityElements.class, "EntityKey$Customer has no canonical text"));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void elementThatLocksAsWrittenStarts(Class<?> type) {
		LockRunner.create().withBean("bean", type).run((context) -> assertThat(context).hasNotFailed());
	}

	static Stream<Class<?>> elementThatLocksAsWrittenStarts() {
		return Stream.of(SkippedNullable.class, Overrides.class, SubclassMayHaveIt.class, GenericSub.class);
	}

	@Test
	void nameOfAParameterComesBeforeThePositionOfAnother() {
		LockRunner.create().withBean(Transfers.class).run((context) -> {
			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				Transfers transfers = context.getBean(Transfers.class);

				transfers.transfer("A", "B", () -> {
					assertThat(other.sees("account:A")).isTrue();
					assertThat(other.sees("account:B")).isTrue();
				});
				transfers.swapped("A", "B", () -> assertThat(other.sees("swapped:A")).isTrue());
			}
		});
	}

	@Test
	void lambdaIsLockedByTheNamesOfItsInterface() {
		LockRunner.create().withBean("job", Job.class, () -> (id, work) -> work.run()).run((context) -> {
			assertThat(context).hasNotFailed();
			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				context.getBean(Job.class).run("7", () -> assertThat(other.sees("job:7")).isTrue());
			}
		});
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
		LockRunner.create().withBean("made", MadeFactory.class).run((context) -> {
			assertThat(context).hasNotFailed();
			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				context.getBean(Made.class).run(() -> assertThat(other.sees("made")).isTrue());
			}
		});
	}

	@Test
	void asynchronousMethodOfAnOwnAnnotationStarts() {
		LockRunner.create()
			.withUserConfiguration(OwnAsync.class)
			.withBean(InBackground.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void fallbackOfAGenericBaseClassIsCalled() {
		LockRunner.create().withBean(GenericSub.class).run((context) -> {
			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				other.hold("generic");

				assertThat(context.getBean(GenericSub.class).pay(UUID.randomUUID())).isEqualTo("later");
			}
		});
	}

	@Test
	void finalClassWhoseDefinitionHasInterfacesIsLockedByAProxyOfThese() {
		assumeThat(ClassUtils.isPresent("org.springframework.context.annotation.Proxyable", null)).as("Spring 7")
			.isTrue();
		LockRunner.create()
			.withBean("job", FinalJob.class, FinalJob::new,
					(definition) -> definition.setAttribute(
							"org.springframework.aop.framework.autoproxy.AutoProxyUtils.exposedInterfaces",
							new Class<?>[] { Job.class }))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
					context.getBean(Job.class).run("7", () -> assertThat(other.sees("job:7")).isTrue());
				}
			});
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

	@ParameterizedTest
	@MethodSource
	void laterResultOfKotlinStopsApplication(String result) throws Exception {
		Class<?> type = new Kotlin(result).define();
		LockRunner.create()
			.withClassLoader(type.getClassLoader())
			.withBean("bean", type)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining(": it returns a " + result.substring(result.lastIndexOf('.') + 1)
						+ ", so the lock would be released before the work is done."));
	}

	static Stream<String> laterResultOfKotlinStopsApplication() {
		return Stream.of("kotlinx.coroutines.Job", "kotlinx.coroutines.flow.Flow", "kotlin.sequences.Sequence");
	}

	@Test
	void fallbackWithAMangledNameIsFound() throws Exception {
		Class<?> type = new Kotlin("java.lang.String").define();
		LockRunner.create()
			.withClassLoader(type.getClassLoader())
			.withBean("bean", type)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	/**
	 * A class as Kotlin compiles it, whose compiler is not in the build: a function with
	 * a value class as its parameter, its fallback, and types that are there by name
	 * only.
	 */
	private static final class Kotlin extends ClassLoader {

		private final String result;

		Kotlin(String result) {
			super(NotLockedAsWrittenTests.class.getClassLoader());
			this.result = result;
		}

		Class<?> define() {
			if (!this.result.startsWith("java.")) {
				ClassWriter type = new ClassWriter(0);
				type.visit(Opcodes.V17, Opcodes.ACC_PUBLIC | Opcodes.ACC_INTERFACE | Opcodes.ACC_ABSTRACT,
						this.result.replace('.', '/'), null, "java/lang/Object", null);
				define(this.result, type);
			}
			String name = "com.shop.KotlinOrders";
			ClassWriter type = new ClassWriter(ClassWriter.COMPUTE_MAXS);
			type.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name.replace('.', '/'), null, "java/lang/Object", null);
			method(type, "<init>", "()V");
			method(type, "pay-R3xq2a", "(Ljava/lang/String;)L" + this.result.replace('.', '/') + ";");
			method(type, "payLater-R3xq2a", "(Ljava/lang/String;)L" + this.result.replace('.', '/') + ";");
			return define(name, type);
		}

		private Class<?> define(String name, ClassWriter type) {
			type.visitEnd();
			byte[] bytes = type.toByteArray();
			return defineClass(name, bytes, 0, bytes.length);
		}

		private static void method(ClassWriter type, String name, String descriptor) {
			var method = type.visitMethod(Opcodes.ACC_PUBLIC, name, descriptor, null, null);
			if (name.startsWith("pay-")) {
				var lock = method.visitAnnotation(Type.getDescriptor(DistributedLock.class), true);
				lock.visit("name", "order");
				lock.visitEnum("onContention", Type.getDescriptor(OnContention.class), "FALLBACK");
				lock.visit("fallbackMethod", "payLater");
				lock.visitEnd();
			}
			method.visitCode();
			if (name.equals("<init>")) {
				method.visitVarInsn(Opcodes.ALOAD, 0);
				method.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
				method.visitInsn(Opcodes.RETURN);
			}
			else {
				method.visitInsn(Opcodes.ACONST_NULL);
				method.visitInsn(Opcodes.ARETURN);
			}
			method.visitMaxs(1, 2);
			method.visitEnd();
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "a")
	@interface LockA {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "b")
	@interface LockB {

	}

	public static class TwoAnnotations {

		@LockA
		@DistributedLock(name = "x")
		public void run() {
		}

	}

	public static class TwoComposedAnnotations {

		@LockA
		@LockB
		public void run() {
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

	@DistributedLock(name = "x")
	public static class NothingPublic {

		void run() {
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

	public static class Loads {

		@PostConstruct
		@DistributedLock(name = "x")
		public void load() {
		}

	}

	public static class Initializes implements InitializingBean {

		@Override
		@DistributedLock(name = "x")
		public void afterPropertiesSet() {
		}

	}

	public static class SkippedNonNull {

		@DistributedLock(name = "x", onContention = OnContention.SKIP)
		public String run() {
			return "";
		}

	}

	public static class SkippedNullable {

		@DistributedLock(name = "x", onContention = OnContention.SKIP)
		public @Nullable String run() {
			return "";
		}

	}

	record Order(UUID id, OffsetDateTime at, boolean paid) {
	}

	public static class MissingMember {

		@DistributedLock(key = "'o' + #order.idd")
		public void run(Order order) {
		}

	}

	public static class MissingMethod {

		@DistributedLock(key = "#order.idd()")
		public void run(Order order) {
		}

	}

	public static class MissingMemberOfElement {

		@DistributedLock(key = "#orders.![idd]")
		public void run(List<Order> orders) {
		}

	}

	public static class MissingMemberInCondition {

		@DistributedLock(name = "x", condition = "#order.paidd")
		public void run(Order order) {
		}

	}

	public static class SubclassMayHaveIt {

		@DistributedLock(key = "#customer.region")
		public void run(EntityKey.Customer customer) {
		}

	}

	public static class EntityKey {

		@DistributedLock(key = "#customer")
		public void run(Customer customer) {
		}

		public static class Customer {

		}

	}

	public static class DoubleKey {

		@DistributedLock(key = "#p0")
		public void run(double price) {
		}

	}

	public static class ZonedKey {

		@DistributedLock(key = "#order.at")
		public void run(Order order) {
		}

	}

	public static class EntityElements {

		@DistributedLock(key = "#customers")
		public void run(List<EntityKey.Customer> customers) {
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
		static Early needsIt(Made made) {
			return new Early();
		}

	}

	static class Early implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Background {

	}

	@Configuration
	@EnableAsync(annotation = Background.class)
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

		@DistributedLock(name = "generic", waitTime = 0, onContention = OnContention.FALLBACK, fallbackMethod = "later")
		public String pay(UUID order) {
			return "now";
		}

	}

}
