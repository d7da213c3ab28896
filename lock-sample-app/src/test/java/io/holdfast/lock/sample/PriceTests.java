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

package io.holdfast.lock.sample;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What those who read a price list see while it is changed, with one instance and with
 * two, and the lists in a process of their own.
 */
class PriceTests {

	@ParameterizedTest
	@EnumSource
	void listsAreTornOnlyWithoutLockAndReadOneAtATimeOnlyWithOne(PriceMode mode) {
		String query = "mode=%s&reads=40&list=both-%s".formatted(mode, mode);

		List<PriceResult> results = TwoShops.askBoth((shop) -> shop.post("/api/prices?" + query, PriceResult.class));

		assertThat(results.stream().anyMatch((result) -> result.torn() > 0)).isEqualTo(mode == PriceMode.UNLOCKED);
		assertThat(results.stream().anyMatch((result) -> result.mostAtOnce() > 1)).isEqualTo(mode != PriceMode.LOCKED);
	}

	@Test
	void answerHasTheNamesThatAreDocumented() {
		JsonNode answer = Shop.json(TwoShops.FIRST.http().post().uri("/api/prices?mode=READ_LOCKED"));

		assertThat(answer.propertyNames()).containsExactly("mode", "reads", "torn", "mostAtOnce", "millis");
		assertThat(answer.get("reads").asInt()).isEqualTo(100);
	}

}
