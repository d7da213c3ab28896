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

import java.lang.reflect.Proxy;
import java.util.Map;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.fixture.LockRunner;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DeferredImportSelector;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When there is a health of locks, and what it says. By reflection, as its types are in
 * another package on each line of Spring Boot.
 */
class LockHealthAutoConfigurationTests {

	private static final String INDICATOR = "holdfastLockHealthIndicator";

	private static final boolean ON_BOOT_4 = ClassUtils.isPresent("org.springframework.boot.health.contributor.Health",
			null);

	private static final Class<?> TYPE = ClassUtils.resolveClassName(
			"org.springframework.boot." + (ON_BOOT_4 ? "health.contributor" : "actuate.health") + ".HealthIndicator",
			null);

	private final ApplicationContextRunner runner = LockRunner.create().withUserConfiguration(Application.class);

	@Test
	void isUpWhileLocksWork() {
		this.runner.run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			client.getLock("order").lock();

			Object health = health(context);

			assertThat(health).extracting("status.code").isEqualTo("UP");
			assertThat(details(health)).containsEntry("client", client.id())
				.containsEntry("held", 1)
				.containsEntry("unsure", 0)
				.doesNotContainKey("failure");
		});
	}

	/**
	 * As Spring Boot finds it.
	 */
	@Test
	void isABeanOfTheTypeOfSpringBoot() {
		this.runner.run((context) -> assertThat(context.getBeanNamesForType(TYPE)).containsExactly(INDICATOR));
	}

	@Test
	void isOutOfServiceOnceTheClientIsClosed() {
		this.runner.run((context) -> {
			context.getBean(LockClient.class).close();

			assertThat(health(context)).extracting("status.code").isEqualTo("OUT_OF_SERVICE");
		});
	}

	@Test
	void saysNothingOfItsDetailsUnlessAsked() {
		this.runner.run((context) -> {
			Object indicator = context.getBean(INDICATOR);

			Object health = ReflectionTestUtils.invokeMethod(indicator, ON_BOOT_4 ? "health" : "getHealth", false);

			assertThat(details(health)).isEmpty();
		});
	}

	@Test
	void isDownIfTheClientCannotBeAsked() {
		this.runner.withBean(LockClient.class, () -> {
			throw new IllegalStateException("thrown on purpose");
		}, (definition) -> definition.setLazyInit(true)).run((context) -> {
			Object health = health(context);

			assertThat(health).extracting("status.code").isEqualTo("DOWN");
			assertThat(details(health)).containsExactly(Map.entry("error", IllegalStateException.class.getName()));
		});
	}

	@Test
	void isDownIfAClassOfTheClientIsMissing() {
		LockClient broken = (LockClient) Proxy.newProxyInstance(LockClient.class.getClassLoader(),
				new Class<?>[] { LockClient.class }, (proxy, method, args) -> {
					if (method.getName().equals("health")) {
						throw new NoClassDefFoundError("thrown on purpose");
					}
					return null;
				});
		this.runner.withBean(LockClient.class, () -> broken).run((context) -> {
			Object health = health(context);

			assertThat(health).extracting("status.code").isEqualTo("DOWN");
			assertThat(details(health)).containsExactly(Map.entry("error", NoClassDefFoundError.class.getName()));
		});
	}

	@Test
	void isThereForLocalLocks() {
		this.runner.withPropertyValues("holdfast.lock.mode=local")
			.run((context) -> assertThat(health(context)).extracting("status.code").isEqualTo("UP"));
	}

	@Test
	void canBeSwitchedOff() {
		this.runner.withPropertyValues("management.health.holdfast-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(INDICATOR));
		this.runner.withPropertyValues("management.health.defaults.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(INDICATOR));
		this.runner
			.withPropertyValues("management.health.defaults.enabled=false",
					"management.health.holdfast-lock.enabled=true")
			.run((context) -> assertThat(context).hasBean(INDICATOR));
	}

	@Test
	void backsOffWithoutActuator() {
		this.runner
			.withClassLoader(
					new FilteredClassLoader("org.springframework.boot.actuate", "org.springframework.boot.health"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockClient.class)
				.doesNotHaveBean(INDICATOR));
	}

	@Test
	void backsOffIfApplicationHasItsOwn() {
		this.runner.withBean(INDICATOR, Object.class, Object::new)
			.run((context) -> assertThat(context).hasNotFailed()
				.getBean(INDICATOR)
				.extracting(Object::getClass)
				.isEqualTo(Object.class));
	}

	private static Object health(ApplicationContext context) {
		return ReflectionTestUtils.invokeMethod(context.getBean(INDICATOR), "health");
	}

	private static Map<String, Object> details(Object health) {
		return ReflectionTestUtils.invokeMethod(health, "getDetails");
	}

	@Configuration(proxyBeanMethods = false)
	@Import(BothLines.class)
	static class Application {

	}

	/** Imports them as Spring Boot does: without loading a class that does not fit. */
	static final class BothLines implements DeferredImportSelector {

		@Override
		public String[] selectImports(AnnotationMetadata importing) {
			String name = LockHealthAutoConfiguration.class.getSimpleName();
			return new String[] { getClass().getPackageName() + "." + name,
					getClass().getPackageName() + ".Boot35" + name };
		}

	}

}
