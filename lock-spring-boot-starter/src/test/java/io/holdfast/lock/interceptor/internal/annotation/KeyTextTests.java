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
import java.net.URI;
import java.nio.CharBuffer;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Collections;
import java.util.GregorianCalendar;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** What may be a key. {@link CanonicalTextTests} has what its text is. */
class KeyTextTests {

	@ParameterizedTest
	@MethodSource
	void valueIsKey(Object value, String text) {
		assertThat(textOf(value)).isEqualTo(text);
	}

	static Stream<Arguments> valueIsKey() {
		return Stream.of(Arguments.of("a b", "a b"), Arguments.of(CharBuffer.wrap("sb"), "sb"), Arguments.of('c', "c"),
				Arguments.of(42L, "42"), Arguments.of(LocalDate.EPOCH, "1970-01-01"),
				Arguments.of(new OrderId(7), "OrderId[value=7]"), Arguments.of(Optional.of("x"), "x"),
				Arguments.of(OptionalLong.of(5), "5"), Arguments.of(OptionalInt.of(6), "6"),
				Arguments.of(OptionalDouble.of(0.5), "0.5"));
	}

	@Test
	void nullIsNoKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> textOf(null)).withMessage("is null");
	}

	@ParameterizedTest
	@MethodSource
	void emptyOptionalIsNoKey(Object empty) {
		assertThatIllegalArgumentException().isThrownBy(() -> textOf(empty)).withMessage("is null");
	}

	static Stream<Object> emptyOptionalIsNoKey() {
		return Stream.of(Optional.empty(), OptionalLong.empty(), OptionalInt.empty(), OptionalDouble.empty());
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\t\n" })
	void blankTextIsNoKey(String blank) {
		assertThatIllegalArgumentException().isThrownBy(() -> textOf(blank)).withMessage("is blank");
	}

	@Test
	void valueWithoutCanonicalTextIsNoKeyAndWhatIdentifiesItIsSuggested() {
		assertThatIllegalArgumentException().isThrownBy(() -> textOf(new Entity()))
			.withMessage("is no key: " + Entity.class.getName() + " has no canonical text, so calls that mean the same "
					+ "could get different locks. Use what identifies it, such as #order.id");
	}

	@ParameterizedTest
	@MethodSource
	void valueWithoutCanonicalTextIsNoKey(Object value, String what) {
		assertThatIllegalArgumentException().isThrownBy(() -> textOf(value))
			.withMessageContaining(what + " has no canonical text");
	}

	static Stream<Arguments> valueWithoutCanonicalTextIsNoKey() {
		return Stream.of(Arguments.of(new Object(), "java.lang.Object"),
				Arguments.of(new AtomicLong(1), "java.util.concurrent.atomic.AtomicLong"),
				Arguments.of(Double.NaN, "NaN"), Arguments.of(Double.POSITIVE_INFINITY, "Infinity"),
				Arguments.of(Float.NEGATIVE_INFINITY, "-Infinity"), Arguments.of(URI.create("a:b"), "java.net.URI"),
				Arguments.of(new File("a"), "java.io.File"), Arguments.of(new Part(new Entity()), "Entity"),
				Arguments.of(new Part(new HashSet<>(List.of(1, 2))), "java.util.HashSet"),
				Arguments.of(new Part(Map.of("a", "b")), "java.util.ImmutableCollections$Map1"),
				Arguments.of(new Part(new Part(new Object())), "java.lang.Object"),
				Arguments.of(new Part(new ArrayList<>(Collections.singleton(new Object()))), "java.lang.Object"),
				Arguments.of(new GregorianCalendar(2026, Calendar.MAY, 1), "java.util.GregorianCalendar"));
	}

	@ParameterizedTest
	@MethodSource
	void dateWithoutTimeZoneIsNoKey(Object value, String local) {
		assertThatIllegalArgumentException().isThrownBy(() -> textOf(value))
			.withMessage("is no key: " + value.getClass().getName()
					+ " has another value in each time zone, unlike its " + local
					+ ", so calls that mean the same could get different locks. Use what identifies it, such as "
					+ "#order." + local);
	}

	static Stream<Arguments> dateWithoutTimeZoneIsNoKey() {
		return Stream.of(Arguments.of(java.sql.Date.valueOf("2026-05-01"), "toLocalDate()"),
				Arguments.of(java.sql.Time.valueOf("10:15:00"), "toLocalTime()"));
	}

	@Test
	void nothingIsSuggestedForNumbers() {
		assertThatIllegalArgumentException().isThrownBy(() -> textOf(Double.NaN))
			.withMessage("is no key: NaN has no canonical text");
	}

	@Test
	void elementsAreKeys() {
		assertThat(KeyText.textsOf(List.of(2, "a", 1.0), "#orders")).containsExactly("2", "a", "1");
	}

	private static String textOf(Object value) {
		return KeyText.textsOf(value, "#order").get(0);
	}

	record OrderId(long value) {
	}

	record Part(Object value) {
	}

	static class Entity {

		@Override
		public String toString() {
			return "entity, changed at " + System.nanoTime();
		}

	}

}
