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

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.holdfast.lock.LockException;
import io.holdfast.lock.actuate.LocksEndpoint;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.annotation.AliasFor;
import org.springframework.javapoet.ClassName;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a native image is told of an application with locks.
 */
class LockRuntimeHintsTests {

	static RuntimeHints hints;

	@BeforeAll
	static void process() {
		System.setProperty(AbstractAotProcessor.AOT_PROCESSING, "true");
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.getEnvironment().setConversionService(new ApplicationConversionService());
			TestPropertyValues.of(LockRunner.properties())
				.and("management.endpoints.web.exposure.include=locks", "management.endpoint.locks.access=unrestricted")
				.applyTo(context);
			context.register(Application.class);
			DefaultGenerationContext generation = new DefaultGenerationContext(
					new ClassNameGenerator(ClassName.get(LockRuntimeHintsTests.class)), new InMemoryGeneratedFiles());
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
			generation.writeGeneratedContent();
			hints = generation.getRuntimeHints();
		}
		finally {
			System.clearProperty(AbstractAotProcessor.AOT_PROCESSING);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "internal/single/mutex-acquire.lua", "autoconfigure/start-up-commands.lua",
			"autoconfigure/lettuce-pool.properties" })
	void resourcesAreThere(String resource) {
		assertThat(RuntimeHintsPredicates.resource().forResource("io/holdfast/lock/" + resource)).accepts(hints);
	}

	@ParameterizedTest
	@ValueSource(strings = { "pay", "payComposed", "payLater", "payNever" })
	void lockedMethodsAndTheirFallbacksCanBeCalled(String method) {
		assertInvocable(Shop.class, method);
	}

	@Test
	void methodsThatNobodyCallsByReflectionAreNot() {
		assertThat(invocation(method(Plain.class, "hidden"))).rejects(hints);
	}

	@Test
	void propertiesOfArgumentsCanBeRead() {
		assertInvocable(Order.class, "customer");
		assertInvocable(Customer.class, "getName");
		assertInvocable(Line.class, "article");
		assertInvocable(String.class, "strip");
	}

	@Test
	void otherArgumentsCannot() {
		assertThat(hints.reflection().getTypeHint(Ignored.class)).isNull();
	}

	@Test
	void theCallAndBeansCanBeAsked() throws Exception {
		Class<?> root = Class.forName("io.holdfast.lock.interceptor.internal.annotation.CallContext$Root");

		assertInvocable(root, "target");
		assertInvocable(Method.class, "getName");
		assertInvocable(Shop.class, "getRegion");
		assertInvocable(Keys.class, "of");
		assertInvocable(DottedKeys.class, "of");
	}

	/** Generics that lead back to themselves have an end. */
	@ParameterizedTest
	@ValueSource(classes = { Comparable.class, Enum.class })
	void argumentsOfRecursiveTypesCanBeRead(Class<?> type) {
		assertThat(hints.reflection().getTypeHint(type)).isNotNull();
	}

	@Test
	void healthCanBeFound() {
		BootHealth health = BootHealth.find(getClass().getClassLoader());

		assertThat(RuntimeHintsPredicates.reflection().onType(health.indicatorType())).accepts(hints);
	}

	@Test
	void annotationsCanBeRead() {
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(DistributedLock.class)
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS)).accepts(hints);
		assertThat(RuntimeHintsPredicates.proxies().forInterfaces(DistributedLock.class)).accepts(hints);
	}

	@Test
	void propertiesCanBeBound() {
		assertThat(List.of(LockProperties.class, LockProperties.Quorum.class))
			.allSatisfy((type) -> assertThat(hints.reflection().getTypeHint(type).constructors()).isNotEmpty());
	}

	@Test
	void operationsOfTheEndpointCanBeCalledAndTheirResultsWritten() {
		Stream.of(LocksEndpoint.class.getDeclaredMethods())
			.filter((method) -> method.isAnnotationPresent(ReadOperation.class)
					|| method.isAnnotationPresent(DeleteOperation.class))
			.forEach((method) -> assertThat(invocation(method)).as(method.getName()).accepts(hints));
		Stream.of(LocksEndpoint.class.getDeclaredClasses())
			.filter(Class::isRecord)
			.flatMap((type) -> Stream.of(type.getRecordComponents()))
			.forEach((component) -> assertThat(invocation(component.getAccessor())).as(component.toString())
				.accepts(hints));
	}

	private static void assertInvocable(Class<?> type, String method) {
		assertThat(invocation(method(type, method))).as(type.getSimpleName() + "." + method).accepts(hints);
	}

	private static Method method(Class<?> type, String name) {
		return Stream.of(ReflectionUtils.getDeclaredMethods(type))
			.filter((method) -> method.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	// Spring Framework 6 knows no other predicate
	@SuppressWarnings("removal")
	private static Predicate<RuntimeHints> invocation(Method method) {
		return RuntimeHintsPredicates.reflection().onMethod(method).invoke();
	}

	@Configuration(proxyBeanMethods = false)
	@Import(BootLine.class)
	@ImportAutoConfiguration({ LettucePoolAutoConfiguration.class, LockEndpointAutoConfiguration.class })
	static class Application {

		@Bean
		static Shop shop() {
			return new Shop();
		}

		@Bean
		static Plain plain() {
			return new Plain();
		}

		@Bean
		static RecursiveShop<String> recursiveShop() {
			return new RecursiveShop<>();
		}

		@Bean("shop.keys")
		static DottedKeys dottedKeys() {
			return new DottedKeys();
		}

		@Bean
		static Keys keys() {
			return new Keys();
		}

	}

	static class Plain {

		void hidden() {
		}

	}

	public static class Keys {

		public String of(String id) {
			return id;
		}

	}

	public static class DottedKeys {

		public String of(Object id) {
			return id.toString();
		}

	}

	public static class RecursiveShop<T extends Comparable<T>> {

		@DistributedLock(key = "@'shop.keys'.of(#p0)")
		void pay(T id) {
		}

		@DistributedLock(key = "@'shop.keys'.of(#p0)")
		void payEnum(Enum<?> id) {
		}

		@DistributedLock(key = "@'shop.keys'.of(#p0)")
		@SuppressWarnings("rawtypes")
		void payRaw(Enum id) {
		}

		@DistributedLock(key = "@'shop.keys'.of(#p0)")
		<E extends Enum<E>> void payAny(E id) {
		}

	}

	public static class Shop {

		public String getRegion() {
			return "north";
		}

		@DistributedLock(name = "order", key = "#order.customer.name", onContention = OnContention.FALLBACK,
				fallbackMethod = "payLater")
		void pay(Order order, Ignored ignored) {
		}

		void payLater(Order order, Ignored ignored) {
		}

		@Composed("payNever")
		void payComposed(String id) {
		}

		void payNever(String id, LockException failure) {
		}

		@DistributedLock(name = "${not.there.yet}", waitTimeString = "${neither.is.this}",
				key = "#root.target.region + @keys.of(#p0)", onContention = OnContention.FALLBACK,
				fallbackMethod = "payNever")
		void payBy(String id) {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "#id", onContention = OnContention.FALLBACK)
	@interface Composed {

		@AliasFor(annotation = DistributedLock.class, attribute = "fallbackMethod")
		String value();

	}

	public static class Ignored {

		public String getName() {
			return "ignored";
		}

	}

	public record Order(Customer customer, List<Line> lines) {
	}

	record Line(String article) {
	}

	public static class Customer {

		public String getName() {
			return "bob";
		}

	}

}
