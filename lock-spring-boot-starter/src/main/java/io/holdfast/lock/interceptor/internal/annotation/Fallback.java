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
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

import io.holdfast.lock.LockException;
import io.holdfast.lock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method to call instead of one that did not get its lock.
 *
 * @param method the method, made accessible
 * @param exception what it is called for. Without a parameter for it that is
 * {@link LockNotAcquiredException} only: it could not tell a failure from contention
 * @param takesException whether its last parameter is the exception
 */
public record Fallback(Method method, Class<?> exception, boolean takesException) {

	/**
	 * Finds the one method of a name that fits to a method.
	 * @throws InvalidAnnotationException if there is none, or several
	 */
	static Fallback find(Method method, Class<?> targetClass, String name) {
		List<Method> fitting = fitting(method, targetClass, name);
		if (fitting.size() != 1) {
			throw new InvalidAnnotationException(
					"fallbackMethod \"" + name + "\" "
							+ (fitting.isEmpty() ? "does not exist, or does not fit."
									: "is ambiguous: " + fitting.stream().map(LockedMethod::describe).sorted().toList()
											+ "."),
					"It must be one method of " + targetClass.getName()
							+ " with the same parameters, with or without one "
							+ "more for an exception that the lock can throw (LockException, a subclass or a "
							+ "superclass of it), or with that one alone, and return "
							+ method.getReturnType().getSimpleName() + ".");
		}
		Method fallback = fitting.get(0);
		ReflectionUtils.makeAccessible(fallback);
		return new Fallback(fallback, Objects.requireNonNull(takes(fallback, method, targetClass)),
				!hasParametersOf(fallback, method, targetClass));
	}

	private static List<Method> fitting(Method method, Class<?> targetClass, String name) {
		return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(targetClass))
			.filter((candidate) -> isNamed(candidate, name) && !candidate.isSynthetic() && !candidate.equals(method)
					&& takes(candidate, method, targetClass) != null)
			.toList();
	}

	/**
	 * Whether a method has a name in its source. Kotlin adds a hash to that of a function
	 * with a value class, and the module to that of an internal one. Lambdas and local
	 * functions are named alike after the function that they are in, but private.
	 */
	private static boolean isNamed(Method method, String name) {
		String actual = method.getName();
		boolean isInside = Modifier.isPrivate(method.getModifiers()) && actual.indexOf('$', name.length()) != -1;
		return actual.equals(name) || (!isInside && (actual.startsWith(name + "-") || actual.startsWith(name + "$")));
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
	 * Returns the arguments of its call.
	 * @param args those of the call that did not get its lock
	 */
	public @Nullable Object[] arguments(@Nullable Object[] args, LockException failure) {
		if (!this.takesException) {
			return args;
		}
		@Nullable Object[] all = Arrays.copyOf(args, this.method.getParameterCount());
		all[all.length - 1] = failure;
		return all;
	}

}
