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

import java.net.URI;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.http.HttpStatus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * What a sale promises, with one instance and with two on the same Redis and database.
 */
class SaleTests {

	private final Shop first = TwoShops.FIRST;

	private final Shop second = TwoShops.SECOND;

	@ParameterizedTest
	@EnumSource(names = { "LOCKED", "FAIR" })
	void lockedSaleSellsTheStockAndNoMore(SaleMode mode) {
		SaleResult result = sell(this.first, "mode=%s&stock=50&orders=300".formatted(mode));

		assertThat(result).usingRecursiveComparison()
			.ignoringFields("millis")
			.isEqualTo(new SaleResult(mode, 50, 300, 50, 250, 0, 0));
	}

	@Test
	void unlockedSaleOversells() {
		SaleResult result = sell(this.first, "mode=UNLOCKED&stock=50&orders=300");

		assertThat(result.oversold()).isPositive();
		assertThat(result.oversold()).isEqualTo(result.sold() - 50);
		assertThat(result.sold() + result.rejected()).isEqualTo(300);
	}

	@ParameterizedTest
	@EnumSource(names = { "LOCKED", "FAIR" })
	void twoInstancesWithTheLockSellTheStockAndNoMore(SaleMode mode) {
		// More than one of them can sell, so that both have a part however busy the
		// machine is.
		String query = "mode=%s&stock=150&orders=100&article=both-%s".formatted(mode, mode);
		List<SaleResult> results = TwoShops.askBoth((shop) -> sell(shop, query));

		assertThat(results).extracting(SaleResult::sold).allSatisfy((sold) -> assertThat(sold).isPositive());
		assertThat(results.stream().mapToInt(SaleResult::sold).sum()).isEqualTo(150);
		assertThat(article("both-" + mode)).isEqualTo(new Article("both-" + mode, 150, 150, 0));
	}

	@Test
	void twoInstancesWithoutTheLockOversell() {
		List<SaleResult> results = TwoShops
			.askBoth((shop) -> sell(shop, "mode=UNLOCKED&stock=100&orders=300&article=both"));

		int sold = results.stream().mapToInt(SaleResult::sold).sum();
		assertThat(sold).isGreaterThan(100);
		assertThat(article("both")).isEqualTo(new Article("both", 100, sold, sold - 100));
	}

	@Test
	void laterSaleOfAnArticleSellsWhatIsLeft() {
		sell(this.first, "mode=LOCKED&stock=10&orders=4&article=rest");

		SaleResult later = sell(this.second, "mode=FAIR&stock=500&orders=20&article=rest");

		assertThat(later.stock()).isEqualTo(10);
		assertThat(later.sold()).isEqualTo(6);
		assertThat(later.oversold()).isZero();
	}

	@Test
	void answerHasTheNamesThatAreDocumentedAndOnlyTheModeIsNeeded() {
		JsonNode answer = Shop.json(this.first.http().post().uri("/api/sales?mode=LOCKED"));

		assertThat(answer.propertyNames()).containsExactly("mode", "stock", "orders", "sold", "rejected", "oversold",
				"millis");
		assertThat(answer.get("mode").asString()).isEqualTo("LOCKED");
		assertThat(answer.get("stock").asInt()).isEqualTo(100);
		assertThat(answer.get("orders").asInt()).isEqualTo(1000);
	}

	@Test
	void eachInstanceTellsHowLongItsBuyersWaited() {
		// Enough for both, so that each has buyers who wait for others to pay, whichever
		// begins.
		TwoShops.askBoth((shop) -> sell(shop, "mode=FAIR&stock=60&orders=30&article=waits"));

		assertThat(Stream.of(this.first, this.second)).allSatisfy((shop) -> {
			JsonNode waits = Shop.json(shop.http().get().uri("/api/articles/waits/waits"));
			assertThat(waits).hasSize(30).allSatisfy((wait) -> {
				assertThat(wait.get("at").asLong()).isCloseTo(System.currentTimeMillis(), within(60_000L));
				assertThat(wait.get("millis").asLong()).isNotNegative();
			});
			assertThat(waits).anySatisfy((wait) -> assertThat(wait.get("millis").asLong()).isGreaterThan(10));
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "mode=MAYBE", "mode=LOCKED&stock=-1", "mode=LOCKED&orders=0", "stock=1",
			"mode=LOCKED&article=a%20b" })
	void badRequestIsRefused(String query) {
		HttpStatus status = this.first.http()
			.post()
			.uri(URI.create("http://localhost:" + this.first.port() + "/api/sales?" + query))
			.exchange((request, response) -> HttpStatus.valueOf(response.getStatusCode().value()));

		assertThat(status).isEqualTo(HttpStatus.BAD_REQUEST);
	}

	private static SaleResult sell(Shop shop, String query) {
		return shop.post("/api/sales?" + query, SaleResult.class);
	}

	private Article article(String id) {
		return this.second.http().get().uri("/api/articles/{id}", id).retrieve().body(Article.class);
	}

}
