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

import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.Year;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.BaseStream;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The text of a key. Two calls must get the same text if, and only if, they mean the same
 * thing, whichever process writes it, in whichever time zone and on whichever version of
 * Java. So a value has one obvious text, or is refused.
 */
final class KeyText {

	/** Final classes whose own text is the obvious one, and BigInteger. */
	private static final List<Class<?>> PLAIN = List.of(Boolean.class, Byte.class, Short.class, Integer.class,
			Long.class, BigInteger.class, UUID.class, Instant.class, LocalDate.class, LocalTime.class,
			LocalDateTime.class, Year.class, YearMonth.class, MonthDay.class, Duration.class);

	private static final List<Class<?>> OTHERS = List.of(CharSequence.class, Character.class, BigDecimal.class,
			Enum.class);

	/** A decimal number with more digits before or after the point is refused. */
	private static final int MAX_DIGITS = 1000;

	private KeyText() {
	}

	/**
	 * Returns the texts of a value: one, or one for each element of a collection or an
	 * array.
	 * @throws IllegalArgumentException if it has none; the message says why
	 */
	static List<String> textsOf(@Nullable Object value) {
		Object unwrapped = ObjectUtils.unwrapOptional(value);
		List<?> elements = elements(unwrapped);
		if (elements == null) {
			return List.of(textOf(unwrapped));
		}
		if (elements.isEmpty()) {
			throw new IllegalArgumentException("is empty, so there is nothing to lock");
		}
		return elements.stream().map(KeyText::textOfElement).toList();
	}

	/**
	 * Says why no value of a type is a key, or returns {@code null} if one may be.
	 */
	static @Nullable String problemOf(ResolvableType type) {
		ResolvableType value = unwrapped(type);
		Class<?> declared = value.toClass();
		if (Collection.class.isAssignableFrom(declared)) {
			return problemOf(unwrapped(value.asCollection().getGeneric()).toClass());
		}
		return problemOf((declared.isArray() && !isOneValue(declared)) ? unwrapped(value.getComponentType()).toClass()
				: declared);
	}

	private static ResolvableType unwrapped(ResolvableType type) {
		return (type.toClass() == Optional.class) ? type.getGeneric() : type;
	}

	private static @Nullable String problemOf(Class<?> declared) {
		Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(declared);
		if (Record.class.isAssignableFrom(type) && type != Record.class) {
			return Arrays.stream(type.getRecordComponents())
				.map((component) -> ClassUtils.resolvePrimitiveIfNecessary(component.getType()))
				.filter((component) -> !mayBeValue(component) || Collection.class.isAssignableFrom(component))
				.findFirst()
				.map(KeyText::none)
				.orElse(null);
		}
		return (mayBeValue(type) || type.isAssignableFrom(Record.class)) ? null : none(type);
	}

	/**
	 * Whether an object of a type may have a text. Of an interface nobody knows.
	 */
	private static boolean mayBeValue(Class<?> type) {
		return (type.isInterface() && !Map.class.isAssignableFrom(type))
				|| PLAIN.stream().anyMatch((plain) -> type.isAssignableFrom(plain))
				|| OTHERS.stream().anyMatch((other) -> type.isAssignableFrom(other) || other.isAssignableFrom(type));
	}

	/**
	 * Returns the elements of what has several, or {@code null}.
	 */
	private static @Nullable List<?> elements(@Nullable Object value) {
		if (value instanceof Collection<?> collection) {
			return new ArrayList<>(collection);
		}
		return (value != null && value.getClass().isArray() && !isOneValue(value.getClass()))
				? Arrays.asList(ObjectUtils.toObjectArray(value)) : null;
	}

	/**
	 * Bytes and characters are one value together.
	 */
	private static boolean isOneValue(Class<?> array) {
		return array == byte[].class || array == char[].class;
	}

	private static String textOfElement(@Nullable Object element) {
		Object unwrapped = ObjectUtils.unwrapOptional(element);
		try {
			if (elements(unwrapped) != null) {
				throw new IllegalArgumentException("has elements itself: a key is one value, or a record of several");
			}
			return textOf(unwrapped);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("has an element that " + ex.getMessage(), ex);
		}
	}

	private static String textOf(@Nullable Object value) {
		String text = partOf(value);
		if (text.isBlank()) {
			throw new IllegalArgumentException("is blank");
		}
		return text;
	}

	/**
	 * Returns the text of a value that is a part of a text.
	 * @throws IllegalArgumentException if it has none
	 */
	static String partOf(@Nullable Object value) {
		Object unwrapped = ObjectUtils.unwrapOptional(value);
		if (unwrapped == null) {
			throw new IllegalArgumentException("is null");
		}
		return (unwrapped instanceof Record composed) ? record(composed) : simple(unwrapped, false);
	}

	/**
	 * Whether a value is text already, or has no elements but text.
	 */
	static boolean isText(Object value) {
		List<?> elements = elements(value);
		return (elements != null) ? elements.stream().allMatch((each) -> each == null || each instanceof String)
				: (value instanceof CharSequence || value instanceof BaseStream);
	}

	/**
	 * Returns the texts of a value, or of its elements, that are parts of a text.
	 * @throws IllegalArgumentException if one has none
	 */
	static List<String> partsOf(Object value) {
		List<?> elements = elements(value);
		return ((elements != null) ? elements : List.of(value)).stream().map(KeyText::partOf).toList();
	}

	/**
	 * Text in it is quoted, so that different records have different texts.
	 */
	private static String record(Record value) {
		return Arrays.stream(value.getClass().getRecordComponents())
			.map((component) -> component.getName() + "=" + component(read(component, value)))
			.collect(Collectors.joining(", ", value.getClass().getSimpleName() + "[", "]"));
	}

	private static @Nullable Object read(RecordComponent component, Record value) {
		ReflectionUtils.makeAccessible(component.getAccessor());
		return ReflectionUtils.invokeMethod(component.getAccessor(), value);
	}

	private static String component(@Nullable Object value) {
		return (value != null) ? simple(value, true) : "null";
	}

	private static String simple(Object value, boolean quoted) {
		if (value instanceof CharSequence || value instanceof Character) {
			String text = value.toString();
			return quoted ? '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"' : text;
		}
		if (PLAIN.contains(value.getClass())) {
			return value.toString();
		}
		if (value instanceof BigDecimal number) {
			return decimal(number);
		}
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		throw new IllegalArgumentException("is no key: " + none(value.getClass()));
	}

	private static String decimal(BigDecimal value) {
		BigDecimal stripped = value.stripTrailingZeros();
		if (Math.max((long) stripped.precision() - stripped.scale(), stripped.scale()) > MAX_DIGITS) {
			throw new IllegalArgumentException(
					"is no key: the number has more than " + MAX_DIGITS + " digits before or after the point");
		}
		return stripped.toPlainString();
	}

	private static String none(Class<?> type) {
		return type.getTypeName()
				+ " has no canonical text, so calls that mean the same could get different locks. Use "
				+ "what identifies it, such as its id, a whole number or an instant";
	}

}
