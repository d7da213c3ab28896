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

import java.util.stream.Stream;

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.PackagePrivateTask;
import jakarta.annotation.PostConstruct;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Methods whose calls no proxy can lock stop an application at start-up. */
class ProxyCheckTests {

	private static final String FINAL = "the method is final, so no proxy can lock its calls.";

	private static final String OPEN = "Remove \"final\" (in Kotlin: make class and method \"open\", or use the kotlin-spring plugin).";

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void typeStopsApplication(Class<?> type, boolean byClass, String description, String action) {
		StartUpFailures.assertStops(LockRunner.create().withPropertyValues("spring.aop.proxy-target-class=" + byClass),
				type, "@DistributedLock on " + type.getName() + "." + description, action);
	}

	static Stream<Arguments> typeStopsApplication() {
		String other = "Annotate a public method that other beans call, or use LockClient.execute.";
		return Stream.of(
				Arguments.of(PrivateMethod.class, true, "run(): the method is private, so no proxy can lock its calls.",
						other),
				Arguments.of(StaticMethod.class, true, "run(): the method is static, so nothing can lock its calls.",
						other),
				Arguments.of(Loads.class, true, "load(): Spring calls the method on the object itself", ""),
				Arguments.of(FinalMethod.class, true, "run(): " + FINAL, OPEN),
				Arguments.of(FinalMethodOfLockedType.class, true, "run(): " + FINAL, OPEN),
				Arguments.of(FinalClass.class, true, "run(): the class is final, so no proxy can lock its calls.",
						OPEN),
				Arguments.of(FinalMethodAfterInitialization.class, false, "run(): " + FINAL, OPEN),
				Arguments.of(FinalMethodConfiguration.class, false, "run(Long): " + FINAL, OPEN),
				Arguments.of(HalfOpen.class, false,
						"hidden(): bean 'bean' is proxied by its interfaces, and none of them has the method, so no "
								+ "proxy can lock its calls.",
						"Declare the method in an interface, or set spring.aop.proxy-target-class to true."));
	}

	@ParameterizedTest
	@ValueSource(classes = { FinalTask.class, FinalSubtask.class })
	void finalClassIsLockedByProxyOfItsInterfaceOrThatOfItsSuperclass(Class<? extends Task> type) {
		LockRunner.create()
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean("bean", type)
			.run((context) -> assertThatIllegalArgumentException()
				.isThrownBy(() -> context.getBean(Task.class).run(null))
				.withMessageContaining("is null"));
	}

	@Test
	void finalMethodThatLockedTypeInheritsStopsApplication() {
		StartUpFailures.assertStops(LockRunner.create(), LockedSubtype.class,
				"@DistributedLock on " + Library.class.getName() + ".run(): " + FINAL,
				"Annotate the methods to lock instead of the type " + LockedSubtype.class.getName() + ".");
	}

	@Test
	void packagePrivateMethodOfAnotherPackageStopsApplication() {
		StartUpFailures.assertStops(LockRunner.create(), Neighbour.class,
				"@DistributedLock on " + PackagePrivateTask.class.getName()
						+ ".run(): the method is package-private and " + Neighbour.class.getName()
						+ " is in another package, so no proxy can lock its calls.",
				"Make the method protected or public.");
	}

	public static class PrivateMethod {

		@DistributedLock(name = "x")
		@SuppressWarnings("unused")
		private void run() {
		}

	}

	public static class StaticMethod {

		@DistributedLock(name = "x")
		public static void run() {
		}

	}

	public static class Loads {

		@PostConstruct
		@DistributedLock(name = "x")
		public void load() {
		}

	}

	public static class FinalMethod {

		@DistributedLock(name = "x")
		public final void run() {
		}

	}

	@DistributedLock(name = "x")
	public static class FinalMethodOfLockedType {

		public final void run() {
		}

	}

	public static final class FinalClass {

		@DistributedLock(name = "x")
		public void run() {
		}

	}

	interface Task {

		void run(Long id);

	}

	public static final class FinalTask implements Task {

		@Override
		@DistributedLock(key = "#id")
		public void run(Long id) {
		}

	}

	public static class Subtask implements Task {

		@Override
		public void run(Long id) {
		}

	}

	public static final class FinalSubtask extends Subtask {

		@Override
		@DistributedLock(key = "#id")
		public void run(Long id) {
		}

	}

	public static class FinalMethodAfterInitialization implements InitializingBean {

		@Override
		public void afterPropertiesSet() {
		}

		@DistributedLock(name = "x")
		public final void run() {
		}

	}

	@Configuration
	public static class FinalMethodConfiguration implements Task {

		@Override
		@DistributedLock(key = "#id")
		public final void run(Long id) {
		}

		@Bean
		String any() {
			return "";
		}

	}

	public static class Library {

		public final void run() {
		}

	}

	@DistributedLock(name = "x")
	public static class LockedSubtype extends Library {

	}

	public static class Neighbour extends PackagePrivateTask {

	}

	public static class HalfOpen implements Task {

		@Override
		@DistributedLock(key = "#id")
		public void run(Long id) {
		}

		@DistributedLock(name = "x")
		public void hidden() {
		}

	}

}
