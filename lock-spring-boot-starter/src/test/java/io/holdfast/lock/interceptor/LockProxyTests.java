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

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Objects;

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.OtherProcess;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Which calls are locked, whatever proxy they come through and wherever the annotation
 * is.
 */
class LockProxyTests {

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void methodOfInterfaceThatOnlyTheProxyHasIsLocked(boolean byClass) {
		LockRunner.create()
			.withPropertyValues("spring.aop.proxy-target-class=" + byClass)
			.withBean(Depot.class, () -> proxy(Depot.class))
			.run((context) -> assertLocks(context, "depot", context.getBean(Depot.class)));
	}

	@Test
	void methodOfLockedInterfaceThatOnlyTheProxyHasIsLocked() {
		LockRunner.create().withBean(LockedDepot.class, () -> proxy(LockedDepot.class)).run((context) -> {
			assertLocks(context, "locked-depot", context.getBean(LockedDepot.class));
			assertLocks(context, "locked-depot", context.getBean(LockedDepot.class)::fetch);
		});
	}

	@Test
	void methodOfProxyFromFactoryIsLocked() {
		LockRunner.create()
			.withBean(DepotFactory.class, () -> new DepotFactory(Depot.class))
			.run((context) -> assertLocks(context, "depot", context.getBean(Depot.class)));
	}

	@Test
	void methodOfLockedInterfaceOfProxyFromFactoryIsLocked() {
		LockRunner.create()
			.withBean(DepotFactory.class, () -> new DepotFactory(DepotPerWork.class))
			.withBean(Clerk.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertLocks(context, "work", context.getBean(DepotPerWork.class));
			});
	}

	@Test
	void proxyThatIsCreatedTooEarlyStopsApplication() {
		LockRunner.create()
			.withUserConfiguration(EarlyConfiguration.class)
			.run((context) -> assertThat(context.getStartupFailure())
				.hasMessageContaining("bean 'depot' has no proxy, so its calls would not be locked"));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void methodOfGenericInterfaceIsLocked(boolean byClass) {
		LockRunner.create()
			.withBean(TextStore.class)
			.withPropertyValues("spring.aop.proxy-target-class=" + byClass)
			.run((context) -> {
				@SuppressWarnings("unchecked")
				Store<String> store = context.getBean(Store.class);
				assertThat(AopUtils.isCglibProxy(store)).isEqualTo(byClass);
				assertLocks(context, "7", (work) -> store.put("7", work));
				try (OtherProcess other = new OtherProcess(context)) {
					other.hold("7");

					assertThat(store.put("7", LockProxyTests::neverRuns)).isEqualTo("7 is busy");
				}
			});
	}

	@Test
	void methodThatOverridesLockedOneIsLocked() {
		LockRunner.create()
			.withBean(BigShelf.class)
			.run((context) -> assertLocks(context, "shelf", context.getBean(BigShelf.class)));
	}

	@Test
	void annotationOnSuperclassHoldsForItsSubclass() {
		LockRunner.create().withBean(ColdRoom.class).run((context) -> {
			assertLocks(context, "room", context.getBean(ColdRoom.class));
			assertLocks(context, "room", context.getBean(ColdRoom.class)::freeze);
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void annotationOnInterfaceHoldsForItsImplementation(boolean byClass) {
		LockRunner.create()
			.withBean(Cellar.class)
			.withPropertyValues("spring.aop.proxy-target-class=" + byClass)
			.run((context) -> {
				assertLocks(context, "locked-depot", context.getBean(LockedDepot.class));
				assertLocks(context, "locked-depot", context.getBean(LockedDepot.class)::fetch);
			});
	}

	@Test
	void metaAnnotationOnTypePassesNameOn() {
		LockRunner.create()
			.withBean(Attic.class)
			.run((context) -> assertLocks(context, "attic", context.getBean(Attic.class)));
	}

	@Test
	void callOfMethodWithoutAnnotationIsRefused() {
		LockRunner.create().run((context) -> {
			ProxyFactory factory = new ProxyFactory(new Shelf());
			factory.addAdvice(context.getBean(LockAdvisor.class).getAdvice());

			assertThatIllegalStateException()
				.isThrownBy(() -> ((Plain) factory.getProxy()).store(LockProxyTests::neverRuns))
				.withMessage("No @DistributedLock is found for a call of " + Plain.class.getName()
						+ ".store(Work), which must not run without its lock");
		});
	}

	/** As a library makes one: by an interface that the object itself does not have. */
	@SuppressWarnings("unchecked")
	private static <T> T proxy(Class<T> type) {
		ProxyFactory factory = new ProxyFactory();
		factory.setTarget(new Shelf());
		factory.setInterfaces(type);
		factory.addAdvice((MethodInterceptor) (invocation) -> {
			Shelf shelf = (Shelf) invocation.getThis();
			return shelf.store((Work) invocation.getArguments()[0]);
		});
		return (T) factory.getProxy();
	}

	private static void assertLocks(ApplicationContext context, String lockName, Plain depot) throws Exception {
		try (OtherProcess other = new OtherProcess(context)) {
			assertThat(depot.store(() -> other.sees(lockName))).isEqualTo(true);
			assertThat(other.sees(lockName)).isFalse();
		}
	}

	private static Object neverRuns() {
		throw new AssertionError("The method must not run");
	}

	interface Work {

		Object run() throws Exception;

		default String name() {
			return "work";
		}

	}

	interface Plain {

		Object store(Work work) throws Exception;

	}

	interface Depot extends Plain {

		@Override
		@DistributedLock(name = "depot")
		Object store(Work work) throws Exception;

	}

	@DistributedLock(name = "locked-depot")
	interface LockedDepot extends Plain {

		Object fetch(Work work) throws Exception;

	}

	@DistributedLock(key = "#p0.name()")
	interface DepotPerWork extends Plain {

	}

	interface Store<T> {

		@DistributedLock(key = "#p0", waitTime = 0, fallbackMethod = "busy")
		Object put(T id, Work work) throws Exception;

	}

	public static class TextStore implements Store<String> {

		@Override
		public Object put(String id, Work work) throws Exception {
			return work.run();
		}

		Object busy(String id, Work work) {
			return id + " is busy";
		}

	}

	public static class LockedShelf extends Shelf {

		@Override
		@DistributedLock(name = "shelf")
		public Object store(Work work) throws Exception {
			return work.run();
		}

	}

	public static class BigShelf extends LockedShelf {

		@Override
		public Object store(Work work) throws Exception {
			return work.run();
		}

	}

	@DistributedLock(name = "room")
	public static class Room extends Shelf {

	}

	public static class ColdRoom extends Room {

		public Object freeze(Work work) throws Exception {
			return work.run();
		}

	}

	public static class Cellar extends Shelf implements LockedDepot {

		@Override
		public Object fetch(Work work) throws Exception {
			return work.run();
		}

	}

	@Target(ElementType.TYPE)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(waitTime = 0)
	@interface PlaceLock {

		@AliasFor(annotation = DistributedLock.class, attribute = "name")
		String value();

	}

	@PlaceLock("attic")
	public static class Attic extends Shelf {

	}

	public static class Shelf implements Plain {

		@Override
		public Object store(Work work) throws Exception {
			return work.run();
		}

	}

	public static class DepotFactory implements FactoryBean<Object> {

		private final Class<?> type;

		DepotFactory(Class<?> type) {
			this.type = type;
		}

		@Override
		public Object getObject() {
			return proxy(this.type);
		}

		@Override
		public Class<?> getObjectType() {
			return this.type;
		}

	}

	/** Needs the object before the start check. */
	public static class Clerk {

		Clerk(DepotPerWork depot) {
			Objects.requireNonNull(depot);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyConfiguration {

		@Bean
		static Depot depot() {
			return proxy(Depot.class);
		}

		@Bean
		static LockedMethodsCheckTests.ImpatientPostProcessor impatient(Depot depot) {
			return new LockedMethodsCheckTests.ImpatientPostProcessor();
		}

	}

}
