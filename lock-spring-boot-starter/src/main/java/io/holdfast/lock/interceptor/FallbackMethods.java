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

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
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

	/** What a method that has no fallback falls back to: the exception. */
	static final FallbackMethods NONE = new FallbackMethods(Map.of());

	private final Map<Class<?>, Method> methods;

	private FallbackMethods(Map<Class<?>, Method> methods) {
		this.methods = methods;
	}

	/**
	 * Finds the methods of a name that fit to a method.
	 * @throws InvalidLockedMethodException if there is none
	 */
	static FallbackMethods find(Method method, Class<?> targetClass, String name) {
		Map<Class<?>, Method> found = new LinkedHashMap<>();
		List<String> misfits = new ArrayList<>();
		for (Method candidate : ReflectionUtils.getAllDeclaredMethods(targetClass)) {
			if (!candidate.getName().equals(name) || candidate.isBridge() || candidate.equals(method)) {
				continue;
			}
			Class<?> exception = takes(candidate, method);
			if (exception != null) {
				ReflectionUtils.makeAccessible(candidate);
				found.putIfAbsent(exception, candidate);
			}
			else {
				misfits.add(InvalidLockedMethodException.describe(candidate));
			}
		}
		if (found.isEmpty()) {
			throw InvalidLockedMethodException.of(method,
					"fallbackMethod \"" + name + "\" "
							+ (misfits.isEmpty() ? "does not exist." : "does not fit: " + misfits + "."),
					"It must be a method of " + targetClass.getName()
							+ " with the same parameters, with or without one "
							+ "more for an exception that the lock can throw (LockException, a subclass or a "
							+ "superclass of it), and return " + method.getReturnType().getSimpleName() + ".");
		}
		return new FallbackMethods(found);
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
		boolean oneMore = actual.length == expected.length + 1
				&& Arrays.equals(Arrays.copyOf(actual, expected.length), expected);
		return (oneMore && canTake(actual[expected.length])) ? actual[expected.length] : null;
	}

	private static boolean canTake(Class<?> type) {
		return LockException.class.isAssignableFrom(type)
				|| (Throwable.class.isAssignableFrom(type) && type.isAssignableFrom(LockException.class));
	}

	/**
	 * Calls the method that takes the exception, the most specific one of several.
	 * @throws Throwable what that method throws; the exception itself if none takes it
	 */
	@Nullable Object call(LockException exception, @Nullable Object target, @Nullable Object[] args) throws Throwable {
		Method method = null;
		for (Class<?> type = exception.getClass(); type != Object.class
				&& method == null; type = type.getSuperclass()) {
			method = this.methods.get(type);
		}
		if (method == null) {
			throw exception;
		}
		@Nullable Object[] all = Arrays.copyOf(args, method.getParameterCount());
		if (all.length > args.length) {
			all[args.length] = exception;
		}
		try {
			return method.invoke(target, all);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

}
