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

package io.holdfast.lock.interceptor.internal.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.lock.LockException;
import io.holdfast.lock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The methods that can be called instead of one that did not get its lock, each for the
 * exceptions that it takes. One without a parameter for the exception is for
 * {@link LockNotAcquiredException} only: it could not tell a failure from contention.
 */
final class FallbackMethods {

	/** No fallback: the exception is thrown. */
	static final FallbackMethods NONE = new FallbackMethods(Map.of());

	private final Map<Class<?>, Fallback> methods;

	private FallbackMethods(Map<Class<?>, Fallback> methods) {
		this.methods = methods;
	}

	/**
	 * Finds the methods of a name that fit to a method.
	 * @throws InvalidAnnotationException if there is none
	 */
	static FallbackMethods find(Method method, Class<?> targetClass, String name) {
		Map<Class<?>, Fallback> found = new LinkedHashMap<>();
		List<String> misfits = new ArrayList<>();
		candidates(method, targetClass, name).forEach((candidate) -> {
			Class<?> exception = takes(candidate, method, targetClass);
			if (exception == null) {
				misfits.add(LockedMethod.describe(candidate));
				return;
			}
			ReflectionUtils.makeAccessible(candidate);
			Fallback other = found.put(exception,
					new Fallback(candidate, !hasParametersOf(candidate, method, targetClass)));
			if (other != null) {
				throw ambiguous(name, exception, List.of(other.method(), candidate));
			}
		});
		if (found.isEmpty()) {
			throw new InvalidAnnotationException(
					"fallbackMethod \"" + name + "\" "
							+ (misfits.isEmpty() ? "does not exist." : "does not fit: " + misfits + "."),
					"It must be a method of " + targetClass.getName()
							+ " with the same parameters, with or without one "
							+ "more for an exception that the lock can throw (LockException, a subclass or a "
							+ "superclass of it), or with that one alone, and return "
							+ method.getReturnType().getSimpleName() + ".");
		}
		return new FallbackMethods(found);
	}

	/**
	 * Whether a method has a fallback.
	 */
	static boolean exists(Method method, Class<?> targetClass, String name) {
		return candidates(method, targetClass, name)
			.anyMatch((candidate) -> takes(candidate, method, targetClass) != null);
	}

	private static Stream<Method> candidates(Method method, Class<?> targetClass, String name) {
		return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(targetClass))
			.filter((candidate) -> isNamed(candidate, name) && !candidate.isSynthetic() && !candidate.equals(method));
	}

	/**
	 * Whether a method has a name in its source. Kotlin adds a hash to that of a function
	 * with a value class, and the module to that of an internal one.
	 */
	static boolean isNamed(Method method, String name) {
		return method.getName().equals(name) || method.getName().startsWith(name + "-")
				|| method.getName().startsWith(name + "$");
	}

	/**
	 * Whether a method can be called instead of another public one of its class.
	 */
	static boolean isFallback(Method candidate, Class<?> targetClass) {
		return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(targetClass))
			.anyMatch((method) -> Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
					&& !method.equals(candidate) && method.getDeclaringClass() != Object.class
					&& takes(candidate, method, targetClass) != null);
	}

	private static InvalidAnnotationException ambiguous(String name, Class<?> exception, List<Method> candidates) {
		return new InvalidAnnotationException(
				"fallbackMethod \"" + name + "\" has two methods for " + exception.getSimpleName() + ": "
						+ candidates.stream().map(LockedMethod::describe).sorted().toList() + ".",
				"Remove one, or give it another name.");
	}

	private static @Nullable Class<?> takes(Method candidate, Method method, Class<?> targetClass) {
		if (!ClassUtils.isAssignable(result(method, targetClass), result(candidate, targetClass))) {
			return null;
		}
		if (hasParametersOf(candidate, method, targetClass)) {
			return LockNotAcquiredException.class;
		}
		List<Class<?>> expected = parameters(method, targetClass);
		List<Class<?>> actual = parameters(candidate, targetClass);
		int last = actual.size() - 1;
		boolean fits = last == 0 || (last == expected.size() && actual.subList(0, last).equals(expected));
		return (fits && canTake(actual.get(last))) ? actual.get(last) : null;
	}

	private static boolean hasParametersOf(Method candidate, Method method, Class<?> targetClass) {
		return parameters(candidate, targetClass).equals(parameters(method, targetClass));
	}

	private static List<Class<?>> parameters(Method method, Class<?> targetClass) {
		return IntStream.range(0, method.getParameterCount())
			.<Class<?>>mapToObj((i) -> ResolvableType.forMethodParameter(method, i, targetClass).toClass())
			.toList();
	}

	private static Class<?> result(Method method, Class<?> targetClass) {
		return ResolvableType.forMethodReturnType(method, targetClass).toClass();
	}

	private static boolean canTake(Class<?> type) {
		return LockException.class.isAssignableFrom(type)
				|| (Throwable.class.isAssignableFrom(type) && type.isAssignableFrom(LockException.class));
	}

	/**
	 * Returns the method that takes an exception, the most specific one of several, or
	 * {@code null} if none does.
	 */
	@Nullable Fallback forException(LockException exception) {
		Fallback fallback = null;
		for (Class<?> type = exception.getClass(); type != Object.class
				&& fallback == null; type = type.getSuperclass()) {
			fallback = this.methods.get(type);
		}
		return fallback;
	}

}
