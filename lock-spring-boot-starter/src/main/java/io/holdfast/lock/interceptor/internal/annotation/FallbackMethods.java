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
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.lock.LockException;
import io.holdfast.lock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

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

	private final Map<Class<?>, Method> methods;

	private FallbackMethods(Map<Class<?>, Method> methods) {
		this.methods = methods;
	}

	/**
	 * Finds the methods of a name that fit to a method.
	 * @throws InvalidAnnotationException if there is none
	 */
	static FallbackMethods find(Method method, Class<?> targetClass, String name) {
		Map<Class<?>, Method> found = new LinkedHashMap<>();
		List<String> misfits = new ArrayList<>();
		for (Method candidate : candidates(method, targetClass, name)) {
			Class<?> exception = takes(candidate, method);
			if (exception != null) {
				ReflectionUtils.makeAccessible(candidate);
				Method other = found.put(exception, candidate);
				if (other != null) {
					throw ambiguous(name, exception, List.of(other, candidate));
				}
			}
			else {
				misfits.add(LockedMethod.describe(candidate));
			}
		}
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
		return candidates(method, targetClass, name).stream().anyMatch((candidate) -> takes(candidate, method) != null);
	}

	private static List<Method> candidates(Method method, Class<?> targetClass, String name) {
		return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(targetClass))
			.filter((candidate) -> candidate.getName().equals(name) && !candidate.isBridge()
					&& !candidate.equals(method))
			.toList();
	}

	/**
	 * Whether a method can be called instead of another public one of its class.
	 */
	static boolean isFallback(Method candidate, Class<?> targetClass) {
		return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(targetClass))
			.anyMatch((method) -> Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
					&& !method.equals(candidate) && method.getDeclaringClass() != Object.class
					&& takes(candidate, method) != null);
	}

	private static InvalidAnnotationException ambiguous(String name, Class<?> exception, List<Method> candidates) {
		return new InvalidAnnotationException(
				"fallbackMethod \"" + name + "\" has two methods for " + exception.getSimpleName() + ": "
						+ candidates.stream().map(LockedMethod::describe).sorted().toList() + ".",
				"Remove one, or give it another name.");
	}

	private static @Nullable Class<?> takes(Method candidate, Method method) {
		if (!ClassUtils.isAssignable(method.getReturnType(), candidate.getReturnType())) {
			return null;
		}
		Class<?>[] expected = method.getParameterTypes();
		Class<?>[] actual = candidate.getParameterTypes();
		if (Arrays.equals(actual, expected)) {
			return LockNotAcquiredException.class;
		}
		boolean alone = actual.length == 1;
		boolean oneMore = actual.length == expected.length + 1
				&& Arrays.equals(Arrays.copyOf(actual, expected.length), expected);
		return ((alone || oneMore) && canTake(actual[actual.length - 1])) ? actual[actual.length - 1] : null;
	}

	private static boolean canTake(Class<?> type) {
		return LockException.class.isAssignableFrom(type)
				|| (Throwable.class.isAssignableFrom(type) && type.isAssignableFrom(LockException.class));
	}

	/**
	 * Returns all of them, made accessible.
	 */
	Collection<Method> all() {
		return this.methods.values();
	}

	/**
	 * Returns the method that takes an exception, the most specific one of several, or
	 * {@code null} if none does.
	 */
	@Nullable Method forException(LockException exception) {
		Method method = null;
		for (Class<?> type = exception.getClass(); type != Object.class
				&& method == null; type = type.getSuperclass()) {
			method = this.methods.get(type);
		}
		return method;
	}

}
