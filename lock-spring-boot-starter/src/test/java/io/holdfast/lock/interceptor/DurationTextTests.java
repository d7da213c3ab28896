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

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.convert.DurationStyle;

import static org.assertj.core.api.Assertions.assertThat;

/** How messages write durations. */
class DurationTextTests {

	@ParameterizedTest
	@ValueSource(strings = { "366d", "25h", "90m", "61s", "10ms", "1500ms", "7us", "3ns", "0s", "-1ms", "-5s" })
	void durationReadsAsUsersWriteIt(String text) {
		assertThat(DurationText.of(DurationStyle.SIMPLE.parse(text))).isEqualTo(text);
	}

}
