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

import java.io.File;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.CharBuffer;
import java.sql.Timestamp;
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
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.ResolvableType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** What may be a key, and its text: equal values have one, different ones do not. */
class KeyTextTests {

	@ParameterizedTest
	@MethodSource
	void valueIsKey(Object value, String text) {
		assertThat(textOf(value)).isEqualTo(text);
		assertThat(KeyText.problemOf(ResolvableType.forInstance(value))).isNull();
	}

	static Stream<Arguments> valueIsKey() {
		return Stream.of(Arguments.of("a b", "a b"), Arguments.of(CharBuffer.wrap("sb"), "sb"), Arguments.of('c', "c"),
				Arguments.of(true, "true"), Arguments.of(Loud.QUIET, "QUIET"),
				Arguments.of(new UUID(0, 1), "00000000-0000-0000-0000-000000000001"),
				Arguments.of(LocalDate.EPOCH, "1970-01-01"), Arguments.of(LocalTime.NOON, "12:00"),
				Arguments.of(LocalDateTime.of(2026, 5, 1, 10, 15), "2026-05-01T10:15"),
				Arguments.of(Instant.EPOCH, "1970-01-01T00:00:00Z"), Arguments.of(Year.of(2026), "2026"),
				Arguments.of(YearMonth.of(2026, 5), "2026-05"), Arguments.of(MonthDay.of(5, 1), "--05-01"),
				Arguments.of(Duration.ofDays(1), "PT24H"), Arguments.of(Optional.of("x"), "x"),
				Arguments.of(new Line(7, new BigDecimal("1.0"), "a\"b", null),
						"Line[order=7, amount=1, article=\"a\\\"b\", on=null]"));
	}

	@ParameterizedTest
	@MethodSource
	void equalNumbersHaveOneText(String text, List<Number> numbers) {
		assertThat(numbers).allSatisfy((number) -> assertThat(textOf(number)).isEqualTo(text));
	}

	static Stream<Arguments> equalNumbersHaveOneText() {
		return Stream.of(
				Arguments.of("1",
						List.of((byte) 1, (short) 1, 1, 1L, BigInteger.ONE, new BigDecimal("1"), new BigDecimal("1.00"),
								new BigDecimal("0.1E1"))),
				Arguments.of("0", List.of(0, new BigDecimal("0.00"), new BigDecimal("0E+7"))),
				Arguments.of("-1200", List.of(-1200, new BigDecimal("-1.2E3"))),
				Arguments.of("9223372036854775807", List.of(Long.MAX_VALUE, BigInteger.valueOf(Long.MAX_VALUE))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "1E+1000000000", "1E-1000000000" })
	void numberOfVeryManyDigitsIsNoKey(String number) {
		assertThatIllegalArgumentException().isThrownBy(() -> textOf(new BigDecimal(number)))
			.withMessage("is no key: the number has more than 1000 digits before or after the point");
	}

	@Test
	void differentRecordsHaveDifferentTexts() {
		List<Pair> pairs = List.of(new Pair("a", "b"), new Pair("a\", right=\"b", ""), new Pair("a", "b\""),
				new Pair("a\\", "b"), new Pair("a\\\", right=\\\"b", ""), new Pair(null, "b"), new Pair("null", "b"),
				new Pair("", "b"), new Pair(1, "b"), new Pair("1", "b"));

		assertThat(pairs.stream().map(KeyTextTests::textOf)).doesNotHaveDuplicates();
	}

	@Test
	void nullAndNothingAreNoKeys() {
		assertThatIllegalArgumentException().isThrownBy(() -> textOf(null)).withMessage("is null");
		assertThatIllegalArgumentException().isThrownBy(() -> textOf(Optional.empty())).withMessage("is null");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\t\n" })
	void blankTextIsNoKey(String blank) {
		assertThatIllegalArgumentException().isThrownBy(() -> textOf(blank)).withMessage("is blank");
	}

	@ParameterizedTest
	@MethodSource
	void valueWithoutCanonicalTextIsNoKey(Object value, Class<?> what) {
		String problem = what.getTypeName() + " has no canonical text, so calls that mean the same could get different "
				+ "locks. Use what identifies it, such as its id, a whole number or an instant";
		assertThatIllegalArgumentException().isThrownBy(() -> textOf(value)).withMessage("is no key: " + problem);
		assertThat(KeyText.problemOf(ResolvableType.forInstance(value))).isEqualTo(problem);
	}

	@SuppressWarnings("JavaUtilDate")
	static Stream<Arguments> valueWithoutCanonicalTextIsNoKey() {
		return Stream.concat(
				Stream.of(new Entity(), URI.create("a:b"), new File("a"), new AtomicLong(1), OptionalLong.of(1),
						new Date(0), new Timestamp(0), OffsetDateTime.parse("2026-05-01T10:15:00+02:00"),
						ZonedDateTime.parse("2026-05-01T10:15:00+02:00"), new GregorianCalendar(),
						java.sql.Date.valueOf("2026-05-01"), java.sql.Time.valueOf("10:15:00"), 1.0, 1.0F, Entity.class)
					.map((value) -> Arguments.of(value, value.getClass())),
				Stream.of(Arguments.of(new Priced(1.0), Double.class),
						Arguments.of(new Nested(new Pair(1, 2)), Pair.class)));
	}

	@ParameterizedTest
	@MethodSource
	void componentWithoutObviousTextIsNoKey(Object component, String what) {
		assertThatIllegalArgumentException().isThrownBy(() -> textOf(new Pair("a", component)))
			.withMessageStartingWith("is no key: " + what + " has no canonical text");
	}

	static Stream<Arguments> componentWithoutObviousTextIsNoKey() {
		return Stream.of(Arguments.of(new Pair(1, 2), Pair.class.getName()),
				Arguments.of(List.of(1), "java.util.ImmutableCollections$List12"),
				Arguments.of(new long[] { 1 }, "long[]"),
				Arguments.of(Map.of("a", "b"), "java.util.ImmutableCollections$Map1"));
	}

	@Test
	void elementsAreKeys() {
		assertThat(KeyText.textsOf(List.of(2, "a"))).containsExactly("2", "a");
		assertThat(KeyText.textsOf(new long[] { 1, 2 })).containsExactly("1", "2");
	}

	@Test
	void typeOfElementsCounts() {
		assertThat(KeyText.problemOf(ResolvableType.forClassWithGenerics(List.class, Entity.class)))
			.startsWith(Entity.class.getName());
		assertThat(KeyText.problemOf(ResolvableType.forClass(Entity[].class))).isNotNull();
		assertThat(KeyText.problemOf(ResolvableType.forClass(List.class))).isNull();
		assertThat(KeyText.problemOf(ResolvableType.forClass(byte[].class))).isNotNull();
		assertThat(KeyText.problemOf(ResolvableType.forClassWithGenerics(Optional.class, Entity.class))).isNotNull();
		ResolvableType number = ResolvableType.forClassWithGenerics(Optional.class, Long.class);
		assertThat(KeyText.problemOf(ResolvableType.forClassWithGenerics(List.class, number))).isNull();
		assertThat(KeyText.problemOf(ResolvableType.forArrayComponent(number))).isNull();
	}

	@ParameterizedTest
	@ValueSource(classes = { Object.class, Number.class, Comparable.class, Record.class, int.class, Enum.class })
	void typeThatMayHaveAKeyIsNoMistake(Class<?> type) {
		assertThat(KeyText.problemOf(ResolvableType.forClass(type))).isNull();
	}

	private static String textOf(Object value) {
		return KeyText.textsOf(value).get(0);
	}

	record Line(long order, BigDecimal amount, String article, LocalDate on) {
	}

	private record Pair(Object left, Object right) {
	}

	record Priced(double price) {
	}

	record Nested(Pair pair) {
	}

	enum Loud {

		QUIET;

		@Override
		public String toString() {
			return "quiet, please";
		}

	}

	static class Entity {

		@Override
		public String toString() {
			return "entity, changed at " + System.nanoTime();
		}

	}

}
