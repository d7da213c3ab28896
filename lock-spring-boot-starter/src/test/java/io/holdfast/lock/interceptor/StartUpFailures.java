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

import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.lock.fixture.LockRunner;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** What an application says that does not start. */
final class StartUpFailures {

	private StartUpFailures() {
	}

	/**
	 * Asserts that a bean of a type stops the application, before it is made, and that
	 * each of its methods that is {@link Refused} would.
	 */
	static void assertRefuses(Class<?> type) {
		LockRunner.create()
			.withBean("bean", type, () -> null, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThat(context).getFailure().isInstanceOf(LockStartUpException.class));
		LockRunner.create().run((context) -> {
			ConfigurableListableBeanFactory beans = context
				.getSourceApplicationContext(ConfigurableApplicationContext.class)
				.getBeanFactory();
			LockedMethods methods = new LockedMethods(beans, false);
			assertThat(
					Stream.of(type.getDeclaredMethods()).filter((method) -> method.isAnnotationPresent(Refused.class)))
				.isNotEmpty()
				.allSatisfy((method) -> {
					Refused refused = method.getAnnotation(Refused.class);
					String at = Stream.of(method.getParameterTypes())
						.map(Class::getSimpleName)
						.collect(Collectors.joining(", ", type.getName() + "." + method.getName() + "(", "): "));
					// Of what is wrapped in anything else the search for locked beans
					// takes no notice.
					assertFailure(catchThrowableOfType(LockStartUpException.class, () -> methods.find(method, type)),
							" on " + at + refused.value().replace("{type}", type.getName()), refused.action());
				});
		});
	}

	/**
	 * Asserts that a bean of a type stops an application because of one of its methods.
	 */
	static void assertStops(ApplicationContextRunner application, Class<?> type, String description, String action) {
		application.withBean("bean", type)
			.run((context) -> assertFailure(context.getStartupFailure(), description, action));
	}

	static void assertFailure(Throwable failure, String description, String action) {
		Throwable cause = failure;
		while (cause != null && !(cause instanceof LockStartUpException)) {
			cause = cause.getCause();
		}
		assertThat(cause).as("cause of %s", failure).isInstanceOf(LockStartUpException.class);
		LockStartUpException invalid = (LockStartUpException) cause;
		assertThat(invalid.description()).contains(description);
		assertThat(invalid.action()).endsWith(action);
	}

}
