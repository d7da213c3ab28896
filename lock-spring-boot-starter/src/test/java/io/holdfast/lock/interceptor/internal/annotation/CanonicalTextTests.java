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

import java.math.BigDecimal;
import java.math.BigInteger;
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
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TimeZone;
import java.util.UUID;
import java.util.stream.Stream;

import io.holdfast.lock.LockType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Equal values have one text, different ones have different texts. */
class CanonicalTextTests {

	@ParameterizedTest
	@MethodSource
	void valueHasText(Object value, String text) {
		assertThat(CanonicalText.of(value)).isEqualTo(text);
	}

	static Stream<Arguments> valueHasText() {
		return Stream.of(Arguments.of(true, "true"), Arguments.of(Loud.QUIET, "QUIET"),
				Arguments.of(LockType.FAIR, "FAIR"),
				Arguments.of(new UUID(0, 1), "00000000-0000-0000-0000-000000000001"),
				Arguments.of(LocalDate.EPOCH, "1970-01-01"), Arguments.of(LocalTime.NOON, "12:00"),
				Arguments.of(LocalDateTime.of(2026, 5, 1, 10, 15), "2026-05-01T10:15"),
				Arguments.of(Instant.EPOCH, "1970-01-01T00:00:00Z"), Arguments.of(Year.of(2026), "2026"),
				Arguments.of(YearMonth.of(2026, 5), "2026-05"), Arguments.of(MonthDay.of(5, 1), "--05-01"),
				Arguments.of(Duration.ofDays(1), "PT24H"));
	}

	@ParameterizedTest
	@MethodSource
	void equalNumbersHaveOneText(String text, List<Number> numbers) {
		assertThat(numbers).allSatisfy((number) -> assertThat(CanonicalText.of(number)).isEqualTo(text));
	}

	static Stream<Arguments> equalNumbersHaveOneText() {
		return Stream.of(
				Arguments.of("1",
						List.of((byte) 1, (short) 1, 1, 1L, BigInteger.ONE, new BigDecimal("1"), new BigDecimal("1.00"),
								new BigDecimal("0.1E1"), 1.0, 1.0F)),
				Arguments.of("0", List.of(0, -0.0, 0.0F, new BigDecimal("0.00"), new BigDecimal("0E+7"))),
				Arguments.of("-1200", List.of(-1200, new BigDecimal("-1.2E3"), -1200.0)),
				Arguments.of("0.1", List.of(0.1, 0.1F, new BigDecimal("0.10"))),
				Arguments.of("10000000000", List.of(10_000_000_000L, 1E10, 1E10F)),
				Arguments.of("9223372036854775807", List.of(Long.MAX_VALUE, BigInteger.valueOf(Long.MAX_VALUE))));
	}

	/**
	 * Java 17 writes the second one with a digit less than Java 19.
	 */
	@Test
	void textOfDoubleDoesNotDependOnTheVersionOfJava() {
		assertThat(CanonicalText.of(2.0E-3)).isEqualTo("0.002");
		assertThat(CanonicalText.of(Math.scalb(1.0, -44))).isEqualTo("0.000000000000056843418860808015");
		assertThat(CanonicalText.of(Double.parseDouble("2E23"))).isEqualTo("200000000000000000000000");
	}

	@Test
	void differentDoublesHaveDifferentTexts() {
		Random random = new Random(7);
		for (int i = 0; i < 1000; i++) {
			double value = random.nextDouble() * Math.pow(10, random.nextInt(20) - 10);

			assertThat(Double.parseDouble(CanonicalText.of(value))).isEqualTo(value);
			assertThat(Float.parseFloat(CanonicalText.of((float) value))).isEqualTo((float) value);
		}
		assertThat(Double.parseDouble(CanonicalText.of(Double.MIN_VALUE))).isEqualTo(Double.MIN_VALUE);
		assertThat(Double.parseDouble(CanonicalText.of(Double.MAX_VALUE))).isEqualTo(Double.MAX_VALUE);
	}

	@ParameterizedTest
	@MethodSource
	void numberOfVeryManyDigitsIsRefused(Number number, String where) {
		assertThatIllegalArgumentException().isThrownBy(() -> CanonicalText.of(number))
			.withMessage("the number has more than 1000 digits " + where + " the point");
	}

	static Stream<Arguments> numberOfVeryManyDigitsIsRefused() {
		return Stream.of(Arguments.of(new BigDecimal("1E+1000000000"), "before"),
				Arguments.of(new BigDecimal("1E-1000000000"), "after"),
				Arguments.of(BigInteger.TEN.pow(1010).subtract(BigInteger.ONE), "before"),
				Arguments.of(BigInteger.TEN.pow(1000), "before"),
				Arguments.of(new BigDecimal(Double.MIN_VALUE), "after"));
	}

	@Test
	void numberOfAThousandDigitsHasText() {
		BigDecimal fraction = BigDecimal.ONE.movePointLeft(1000);
		BigDecimal number = BigDecimal.TEN.pow(1000).subtract(fraction);

		assertThat(CanonicalText.of(number)).isEqualTo(number.toPlainString()).hasSize(2001);
	}

	@Test
	@SuppressWarnings("JavaUtilDate")
	void instantHasOneTextHoweverItIsWrittenAndWhereverItIsRead() {
		Instant instant = Instant.parse("2026-05-01T08:15:00Z");
		TimeZone before = TimeZone.getDefault();
		try {
			for (String zone : List.of("UTC", "Asia/Tokyo", "America/New_York")) {
				TimeZone.setDefault(TimeZone.getTimeZone(zone));
				assertThat(Stream.of(instant, Date.from(instant), Timestamp.from(instant),
						OffsetDateTime.parse("2026-05-01T10:15:00+02:00"),
						ZonedDateTime.ofInstant(instant, TimeZone.getDefault().toZoneId())))
					.allSatisfy((value) -> assertThat(CanonicalText.of(value)).isEqualTo("2026-05-01T08:15:00Z"));
			}
		}
		finally {
			TimeZone.setDefault(before);
		}
	}

	@Test
	void recordHasTheTextOfItsComponents() {
		assertThat(CanonicalText.of(new Line(7, new BigDecimal("1.0"), List.of('a', "b"), new long[] { 1, 2 }, null)))
			.isEqualTo("Line[order=7, amount=1, parts=[\"a\", \"b\"], numbers=[1, 2], next=null]");
		assertThat(CanonicalText.of(new Line(7, null, List.of(), null, new Line(8, null, null, null, null))))
			.isEqualTo("Line[order=7, amount=null, parts=[], numbers=null, "
					+ "next=Line[order=8, amount=null, parts=null, numbers=null, next=null]]");
	}

	@Test
	void optionalInRecordHasTheTextOfWhatIsInIt() {
		assertThat(CanonicalText.of(new Pair(Optional.of("a"), OptionalLong.of(7))))
			.isEqualTo("Pair[left=\"a\", right=7]");
		assertThat(CanonicalText.of(new Pair(Optional.empty(), List.of(Optional.of(1.0)))))
			.isEqualTo("Pair[left=null, right=[1]]");
	}

	@Test
	void differentRecordsHaveDifferentTexts() {
		List<Pair> pairs = List.of(new Pair("a", "b"), new Pair("a\", right=\"b", ""), new Pair("a", "b\""),
				new Pair("a\\", "b"), new Pair("a\\\", right=\\\"b", ""), new Pair(null, "b"), new Pair("null", "b"),
				new Pair("", "b"), new Pair(List.of(), "b"), new Pair(List.of(""), "b"), new Pair(List.of("", ""), "b"),
				new Pair("[]", "b"), new Pair(List.of("a", "b"), ""), new Pair(List.of("a, b"), ""),
				new Pair(List.of("a\", \"b"), ""), new Pair(List.of(List.of("a"), "b"), ""), new Pair(1, "b"),
				new Pair("1", "b"), new Pair(Collections.singletonList(null), ""), new Pair(List.of("null"), ""));

		assertThat(pairs.stream().map(CanonicalText::of)).doesNotHaveDuplicates();
	}

	@Test
	void equalListsAndArraysOfAnyKindHaveOneText() {
		assertThat(Stream.of(List.of(1, 2), Arrays.asList(1L, 2L), new int[] { 1, 2 }, new Object[] { 1, 2 })
			.map((parts) -> CanonicalText.of(new Pair(parts, "x")))
			.distinct()).containsExactly("Pair[left=[1, 2], right=\"x\"]");
	}

	@SuppressWarnings("ArrayRecordComponent")
	record Line(long order, BigDecimal amount, List<?> parts, long[] numbers, Line next) {
	}

	private record Pair(Object left, Object right) {
	}

	enum Loud {

		QUIET;

		@Override
		public String toString() {
			return "quiet, please";
		}

	}

}
