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

import java.nio.CharBuffer;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Stream;

import io.holdfast.lock.LockType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** What may be a key, and what its text is. */
class LockKeyTests {

	@ParameterizedTest
	@MethodSource("texts")
	void valueHasText(Object value, String text) {
		assertThat(LockKey.textOf(value)).isEqualTo(text);
	}

	static Stream<Arguments> texts() {
		return Stream.of(Arguments.of("a b", "a b"), Arguments.of(CharBuffer.wrap("sb"), "sb"), Arguments.of(42L, "42"),
				Arguments.of(true, "true"), Arguments.of('c', "c"), Arguments.of(Loud.QUIET, "QUIET"),
				Arguments.of(LockType.FAIR, "FAIR"),
				Arguments.of(new UUID(0, 1), "00000000-0000-0000-0000-000000000001"),
				Arguments.of(LocalDate.EPOCH, "1970-01-01"), Arguments.of(new OrderId(7), "OrderId[value=7]"),
				Arguments.of(Optional.of("x"), "x"), Arguments.of(OptionalLong.of(5), "5"),
				Arguments.of(OptionalInt.of(6), "6"), Arguments.of(OptionalDouble.of(0.5), "0.5"));
	}

	@Test
	void nullIsNoKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockKey.textOf(null)).withMessage("is null");
	}

	@ParameterizedTest
	@MethodSource
	void emptyOptionalIsNoKey(Object empty) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockKey.textOf(empty)).withMessage("is null");
	}

	static Stream<Object> emptyOptionalIsNoKey() {
		return Stream.of(Optional.empty(), OptionalLong.empty(), OptionalInt.empty(), OptionalDouble.empty());
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\t\n" })
	void blankTextIsNoKey(String blank) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockKey.textOf(blank)).withMessage("is blank");
	}

	@ParameterizedTest
	@MethodSource("severalValues")
	void severalValuesAreNoKey(Object values) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockKey.textOf(values))
			.withMessageEndingWith("locking several keys at once is not supported");
	}

	static Stream<Arguments> severalValues() {
		return Stream
			.<Object>of(List.of("a"), Map.of("a", "b"), new int[] { 1 }, new String[] { "a" },
					Optional.of(List.of("a")))
			.map(Arguments::of);
	}

	@Test
	void objectWithoutTextIsNoKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockKey.textOf(new Object()))
			.withMessage("is a java.lang.Object, which does not override toString(): every object would have a lock of "
					+ "its own");
	}

	/**
	 * The text of a record has that of its array: what it is, and where.
	 */
	@Test
	void recordWithAnArrayIsNoKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockKey.textOf(new Digest(new byte[1])))
			.withMessageEndingWith(
					"Digest, which is a record with an array: every object would have a lock of its own");
	}

	record OrderId(long value) {
	}

	@SuppressWarnings("ArrayRecordComponent")
	record Digest(byte[] hash) {
	}

	enum Loud {

		QUIET;

		@Override
		public String toString() {
			return "quiet, please";
		}

	}

}
