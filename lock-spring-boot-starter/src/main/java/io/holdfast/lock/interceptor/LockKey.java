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

import java.time.temporal.TemporalAccessor;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * The text of a key. Two calls must get the same text if, and only if, they mean the same
 * thing, so values that have no such text are refused.
 */
final class LockKey {

	/**
	 * Why the text of an object would be another one for each object, or empty if it need
	 * not be.
	 */
	private static final ClassValue<String> FLAW = new ClassValue<>() {

		@Override
		protected String computeValue(Class<?> type) {
			if (ClassUtils.getMethod(type, "toString").getDeclaringClass() == Object.class) {
				return "does not override toString()";
			}
			boolean hasArray = type.isRecord()
					&& Stream.of(type.getRecordComponents()).anyMatch((component) -> component.getType().isArray());
			return hasArray ? "is a record with an array" : "";
		}

	};

	private LockKey() {
	}

	/**
	 * Returns the text of a value.
	 * @throws IllegalArgumentException if it has none; the message says why
	 */
	static String textOf(@Nullable Object value) {
		String text = convert(unwrap(value));
		if (text.isBlank()) {
			throw new IllegalArgumentException("is blank");
		}
		return text;
	}

	private static @Nullable Object unwrap(@Nullable Object value) {
		if (value instanceof Optional<?> optional) {
			return optional.orElse(null);
		}
		if (value instanceof OptionalLong optional) {
			return optional.isPresent() ? optional.getAsLong() : null;
		}
		if (value instanceof OptionalInt optional) {
			return optional.isPresent() ? optional.getAsInt() : null;
		}
		if (value instanceof OptionalDouble optional) {
			return optional.isPresent() ? optional.getAsDouble() : null;
		}
		return value;
	}

	private static String convert(@Nullable Object value) {
		if (value == null) {
			throw new IllegalArgumentException("is null");
		}
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		if (value instanceof CharSequence || value instanceof Number || value instanceof Boolean
				|| value instanceof Character || value instanceof UUID || value instanceof TemporalAccessor) {
			return value.toString();
		}
		if (value instanceof Collection || value instanceof Map || value.getClass().isArray()) {
			throw new IllegalArgumentException(
					"is a " + value.getClass().getTypeName() + ": locking several keys at once is not supported");
		}
		String flaw = FLAW.get(value.getClass());
		if (!flaw.isEmpty()) {
			throw new IllegalArgumentException("is a " + value.getClass().getTypeName() + ", which " + flaw
					+ ": every object would have a lock of its own");
		}
		String text = value.toString();
		return (text != null) ? text : "";
	}

}
