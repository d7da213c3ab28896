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

package io.holdfast.lock.internal.quorum;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What servers are told of the settings of a quorum. */
class QuorumSettingsTests {

	@ParameterizedTest
	@CsvSource({ "0, 0", "1, 1", "900, 1", "1000, 1", "1900, 2", "30000, 30" })
	void restartGuardIsNotShorterInSeconds(long millis, long seconds) {
		assertThat(new QuorumSettings(Duration.ofSeconds(1), Duration.ofMillis(millis)).restartGuardSeconds())
			.isEqualTo(seconds);
	}

}
