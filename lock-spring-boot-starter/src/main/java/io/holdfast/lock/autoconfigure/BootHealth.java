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

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The health types of Spring Boot, which are the same on each line but for their package:
 * {@code org.springframework.boot.health.contributor} since 4.0,
 * {@code org.springframework.boot.actuate.health} before. No jar has both, so no class
 * can be compiled against both.
 */
final class BootHealth {

	private static final String[] PACKAGES = { "org.springframework.boot.health.contributor.",
			"org.springframework.boot.actuate.health." };

	private final Class<?> indicator;

	private final Method status;

	private final Method withDetails;

	private final Method build;

	private BootHealth(Class<?> indicator, Class<?> health, Class<?> builder) {
		this.indicator = indicator;
		this.status = method(health, "status", String.class);
		this.withDetails = method(builder, "withDetails", Map.class);
		this.build = method(builder, "build");
	}

	private static Method method(Class<?> type, String name, Class<?>... parameters) {
		Method found = ReflectionUtils.findMethod(type, name, parameters);
		return Objects.requireNonNull(found, () -> type.getName() + " has no method " + name);
	}

	/**
	 * The types of the line of Spring Boot that is there, or {@code null} if it shows no
	 * health.
	 */
	static @Nullable BootHealth find(@Nullable ClassLoader classLoader) {
		return Stream.of(PACKAGES)
			.filter((each) -> ClassUtils.isPresent(each + "HealthIndicator", classLoader))
			.findFirst()
			.map((each) -> new BootHealth(type(each + "HealthIndicator", classLoader),
					type(each + "Health", classLoader), type(each + "Health$Builder", classLoader)))
			.orElse(null);
	}

	private static Class<?> type(String name, @Nullable ClassLoader classLoader) {
		return ClassUtils.resolveClassName(name, classLoader);
	}

	/**
	 * The type of an indicator.
	 */
	Class<?> indicatorType() {
		return this.indicator;
	}

	/**
	 * An indicator.
	 * @param source gives the health, with its details or without
	 */
	Object indicator(Function<Boolean, Reading> source) {
		InvocationHandler handler = (proxy, method, arguments) -> switch (method.getName()) {
			// The one without arguments is health() on both lines.
			case "health", "getHealth" -> health(source.apply(arguments == null || Boolean.TRUE.equals(arguments[0])));
			case "equals" -> proxy == Objects.requireNonNull(arguments)[0];
			case "hashCode" -> System.identityHashCode(proxy);
			default -> "Health of locks";
		};
		return Proxy.newProxyInstance(this.indicator.getClassLoader(), new Class<?>[] { this.indicator }, handler);
	}

	private Object health(Reading reading) {
		Object builder = call(this.status, null, reading.status());
		return call(this.build, call(this.withDetails, builder, reading.details()));
	}

	private static Object call(Method method, @Nullable Object target, Object... arguments) {
		return Objects.requireNonNull(ReflectionUtils.invokeMethod(method, target, arguments));
	}

	/**
	 * A health.
	 *
	 * @param status its code
	 * @param details what there is to say
	 */
	record Reading(String status, Map<String, Object> details) {
	}

}
