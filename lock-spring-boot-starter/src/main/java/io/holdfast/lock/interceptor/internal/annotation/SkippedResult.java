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
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * What a call that was skipped returns: {@code null}, an empty {@link Optional}, or
 * nothing.
 */
final class SkippedResult {

	private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	private SkippedResult() {
	}

	static @Nullable Object of(Method method) {
		return EMPTY.get(method.getReturnType());
	}

	/**
	 * Checks that a method may return it, as far as Java and Kotlin (with kotlin-reflect)
	 * tell.
	 * @param later what its result comes as, or {@code null} if that is there at once
	 * @throws InvalidAnnotationException if it may not
	 */
	static void check(Method method, @Nullable Class<?> later) {
		MethodParameter result = new MethodParameter(method, -1);
		Class<?> type = result.getParameterType();
		if (later != null && !KotlinDetector.isSuspendingFunction(method)) {
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(later);
			if (adapter != null && !adapter.supportsEmpty()) {
				throw new InvalidAnnotationException(
						"onContention is SKIP, and a " + later.getSimpleName()
								+ " of a call that was skipped is not empty.",
						"Return a type that may be empty, such as Mono, or use THROW or a fallbackMethod.");
			}
			return;
		}
		if (type == void.class || type == Void.class || (later == null && EMPTY.containsKey(type))) {
			return;
		}
		boolean ofKotlin = KotlinDetector.isKotlinReflectPresent()
				&& KotlinDetector.isKotlinType(method.getDeclaringClass());
		if (type.isPrimitive() || (ofKotlin && !result.isOptional())) {
			throw new InvalidAnnotationException(
					"onContention is SKIP, and a call that was skipped has no " + type.getSimpleName() + " to return.",
					"Return an Optional or an object that may be null (in Kotlin \"?\"), or use THROW or a fallbackMethod.");
		}
	}

}
