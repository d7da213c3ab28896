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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.ResolvableType;

/**
 * The parameters of a locked method as expressions know them: by their names, and by
 * {@code p0} or {@code a0}. A name that looks like a position is the parameter of that
 * name.
 */
final class MethodParameters {

	private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

	/** The index of an argument by its name in expressions. */
	private final Map<String, Integer> indexes = new HashMap<>();

	private final List<String> names;

	private final Method method;

	private final Class<?> targetClass;

	MethodParameters(Method method, Class<?> targetClass) {
		this.method = method;
		this.targetClass = targetClass;
		@Nullable String @Nullable [] names = NAMES.getParameterNames(method);
		for (int i = 0; i < method.getParameterCount(); i++) {
			this.indexes.put("a" + i, i);
			this.indexes.put("p" + i, i);
		}
		for (int i = 0; names != null && i < names.length; i++) {
			if (names[i] != null) {
				this.indexes.put(names[i], i);
			}
		}
		this.names = (names != null) ? Arrays.stream(names).filter(Objects::nonNull).toList() : List.of();
	}

	/**
	 * Returns which argument expressions know under a name, or {@code null}.
	 */
	@Nullable Integer index(String name) {
		return this.indexes.get(name);
	}

	/**
	 * Returns the type of the parameter that expressions know under a name, or
	 * {@code null}.
	 */
	@Nullable ResolvableType type(String name) {
		Integer index = index(name);
		return (index != null) ? ResolvableType.forMethodParameter(this.method, index, this.targetClass) : null;
	}

	/**
	 * Returns their names; none if the class does not tell.
	 */
	List<String> names() {
		return this.names;
	}

	int count() {
		return this.method.getParameterCount();
	}

}
