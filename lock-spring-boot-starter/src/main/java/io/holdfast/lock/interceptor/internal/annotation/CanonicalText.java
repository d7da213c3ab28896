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
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The text of values that have exactly one, whichever process writes it, in whichever
 * time zone and on whichever version of Java. Equal values have the same text. Text
 * inside of a record or list is quoted, so that different ones have different texts.
 */
final class CanonicalText {

	/** Final classes whose own text is canonical. */
	private static final Set<Class<?>> CANONICAL = Set.of(Boolean.class, UUID.class, Instant.class, LocalDate.class,
			LocalTime.class, LocalDateTime.class, Year.class, YearMonth.class, MonthDay.class, Duration.class);

	/** Numbers with more digits before or after the point are refused. */
	private static final int MAX_DIGITS = 1000;

	/** So many digits tell each double from its neighbours. */
	private static final int MAX_DOUBLE_DIGITS = 17;

	private CanonicalText() {
	}

	/**
	 * Returns the text of a value.
	 * @throws IllegalArgumentException if it has no canonical one; the message says why
	 */
	static String of(Object value) {
		return (value instanceof CharSequence || value instanceof Character) ? value.toString() : literal(value);
	}

	/**
	 * Returns what is in an {@link Optional} or one of its relatives, or {@code null},
	 * and any other value as it is.
	 */
	static @Nullable Object unwrap(@Nullable Object value) {
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

	/**
	 * Returns which property of a value identifies it instead, as far as one can say, or
	 * {@code null} if there can be none.
	 */
	static @Nullable String identifiedBy(Object value) {
		if (value instanceof Number) {
			return null;
		}
		return (value instanceof Date) ? local(value) : "id";
	}

	private static String local(Object date) {
		return ClassUtils.hasMethod(date.getClass(), "toLocalDate") ? "toLocalDate()" : "toLocalTime()";
	}

	private static String part(@Nullable Object wrapped) {
		Object value = unwrap(wrapped);
		if (value == null) {
			return "null";
		}
		if (value instanceof CharSequence || value instanceof Character) {
			return '"' + value.toString().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
		}
		return literal(value);
	}

	private static String literal(Object value) {
		if (CANONICAL.contains(value.getClass())) {
			return value.toString();
		}
		if (value instanceof Number number) {
			return decimal(number);
		}
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		if (value instanceof OffsetDateTime dateTime) {
			return dateTime.toInstant().toString();
		}
		if (value instanceof ZonedDateTime dateTime) {
			return dateTime.toInstant().toString();
		}
		if (value instanceof Date date) {
			return instant(date);
		}
		if (value instanceof Record composed) {
			return record(composed);
		}
		if (value instanceof List<?> list) {
			return list.stream().map(CanonicalText::part).collect(Collectors.joining(", ", "[", "]"));
		}
		if (value.getClass().isArray()) {
			return literal(Arrays.asList(ObjectUtils.toObjectArray(value)));
		}
		throw none(value);
	}

	/**
	 * The date and the time of day of java.sql are no instants, and say so.
	 */
	@SuppressWarnings("JavaUtilDate")
	private static String instant(Date date) {
		try {
			return date.toInstant().toString();
		}
		catch (UnsupportedOperationException ex) {
			throw new IllegalArgumentException(
					date.getClass().getName() + " has another value in each time zone, unlike its " + local(date), ex);
		}
	}

	private static String record(Record value) {
		return Arrays.stream(value.getClass().getRecordComponents())
			.map((component) -> component.getName() + "=" + part(read(component, value)))
			.collect(Collectors.joining(", ", value.getClass().getSimpleName() + "[", "]"));
	}

	private static @Nullable Object read(RecordComponent component, Record value) {
		ReflectionUtils.makeAccessible(component.getAccessor());
		return ReflectionUtils.invokeMethod(component.getAccessor(), value);
	}

	private static String decimal(Number value) {
		BigDecimal stripped = exact(value).stripTrailingZeros();
		long before = (long) stripped.precision() - stripped.scale();
		if (Math.max(before, stripped.scale()) > MAX_DIGITS) {
			throw new IllegalArgumentException("the number has more than " + MAX_DIGITS + " digits "
					+ ((before > MAX_DIGITS) ? "before" : "after") + " the point");
		}
		return stripped.toPlainString();
	}

	private static BigDecimal exact(Number value) {
		if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
			return BigDecimal.valueOf(value.longValue());
		}
		if (value instanceof BigInteger integer) {
			return new BigDecimal(integer);
		}
		if (value instanceof BigDecimal decimal) {
			return decimal;
		}
		if (value instanceof Double number && Double.isFinite(number)) {
			return shortest(number, (decimal) -> decimal.doubleValue() == number);
		}
		if (value instanceof Float number && Float.isFinite(number)) {
			return shortest(number, (decimal) -> decimal.floatValue() == number);
		}
		throw none(value);
	}

	/**
	 * Returns the number with the fewest digits that is read as a value. Its own text
	 * depends on the version of Java: before 19 it may have a digit too many.
	 */
	private static BigDecimal shortest(double value, Predicate<BigDecimal> isRead) {
		BigDecimal exact = new BigDecimal(value);
		for (int digits = 1; digits < MAX_DOUBLE_DIGITS; digits++) {
			BigDecimal rounded = exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
			if (isRead.test(rounded)) {
				return rounded;
			}
		}
		return exact.round(new MathContext(MAX_DOUBLE_DIGITS, RoundingMode.HALF_EVEN));
	}

	private static IllegalArgumentException none(Object value) {
		boolean infinite = value instanceof Double || value instanceof Float;
		String what = infinite ? value.toString() : value.getClass().getTypeName();
		return new IllegalArgumentException(what + " has no canonical text");
	}

}
