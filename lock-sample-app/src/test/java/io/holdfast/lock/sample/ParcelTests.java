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
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * What the limit promises, with one instance and with two, and the courier in its own
 * process.
 */
class ParcelTests {

	private final Shop first = TwoShops.FIRST;

	@Test
	void withoutTheLimitTheCourierRefuses() {
		ParcelResult result = ship(this.first, "mode=UNLIMITED&parcels=50");

		assertThat(result.refused()).isPositive();
		assertThat(result.shipped()).isPositive().isEqualTo(50 - result.refused());
		assertThat(result.mostAtOnce()).isGreaterThan(5);
	}

	@Test
	void twoInstancesShareTheLimitAndTheCourierTakesAll() {
		List<ParcelResult> results = TwoShops.askBoth((shop) -> ship(shop, "mode=LIMITED&parcels=50"));

		assertThat(results).extracting(ParcelResult::shipped, ParcelResult::refused)
			.containsExactly(tuple(50, 0), tuple(50, 0));
		assertThat(results).extracting(ParcelResult::mostAtOnce).allSatisfy((most) -> assertThat(most).isBetween(2, 5));
	}

	@Test
	void answerHasTheNamesThatAreDocumented() {
		JsonNode answer = Shop.json(this.first.http().post().uri("/api/parcels?mode=LIMITED"));

		assertThat(answer.propertyNames()).containsExactly("mode", "parcels", "shipped", "refused", "mostAtOnce",
				"millis");
		assertThat(answer.get("parcels").asInt()).isEqualTo(100);
	}

	private static ParcelResult ship(Shop shop, String query) {
		return shop.post("/api/parcels?" + query, ParcelResult.class);
	}

}
