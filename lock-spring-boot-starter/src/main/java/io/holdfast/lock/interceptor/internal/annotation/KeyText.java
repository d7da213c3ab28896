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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ObjectUtils;

/**
 * The text of a key. Two calls must get the same text if, and only if, they mean the same
 * thing, so values that have no canonical text are refused.
 */
final class KeyText {

	private KeyText() {
	}

	/**
	 * Returns the texts of a value: one, or one for each element of a collection or an
	 * array.
	 * @param expression the expression that has it
	 * @throws IllegalArgumentException if it has none; the message says why
	 */
	static List<String> textsOf(@Nullable Object value, String expression) {
		Object unwrapped = CanonicalText.unwrap(value);
		List<?> elements = elements(unwrapped);
		if (elements == null) {
			return List.of(keyOf(unwrapped, expression + ".%s"));
		}
		if (elements.isEmpty()) {
			throw new IllegalArgumentException("is empty, so there is nothing to lock");
		}
		return elements.stream().map((element) -> elementOf(element, expression + ".![%s]")).toList();
	}

	/**
	 * Returns the elements of what has several, or {@code null}. Bytes and characters are
	 * one value together.
	 */
	private static @Nullable List<?> elements(@Nullable Object value) {
		if (value instanceof Collection<?> collection) {
			return new ArrayList<>(collection);
		}
		boolean several = value != null && value.getClass().isArray() && !(value instanceof byte[])
				&& !(value instanceof char[]);
		return several ? Arrays.asList(ObjectUtils.toObjectArray(value)) : null;
	}

	private static String elementOf(@Nullable Object element, String suggestion) {
		Object unwrapped = CanonicalText.unwrap(element);
		try {
			if (elements(unwrapped) != null) {
				throw new IllegalArgumentException("has elements itself: a key is one value, or a record of several");
			}
			return keyOf(unwrapped, suggestion);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("has an element that " + ex.getMessage(), ex);
		}
	}

	private static String keyOf(@Nullable Object value, String suggestion) {
		if (value == null) {
			throw new IllegalArgumentException("is null");
		}
		String text;
		try {
			if (value.getClass().isArray()) {
				throw new IllegalArgumentException(value.getClass().getTypeName() + " has no canonical text");
			}
			text = CanonicalText.of(value);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("is no key: " + ex.getMessage() + advice(value, suggestion), ex);
		}
		if (text.isBlank()) {
			throw new IllegalArgumentException("is blank");
		}
		return text;
	}

	private static String advice(Object value, String suggestion) {
		String property = CanonicalText.identifiedBy(value);
		return (property != null) ? ", so calls that mean the same could get different locks. Use what identifies "
				+ "it, such as " + suggestion.replace("%s", property) : "";
	}

}
