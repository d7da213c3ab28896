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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.http.HttpStatus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * What payments promise, with one instance and with two, and the payment provider in its
 * own process.
 */
class PaymentTests {

	private final Shop first = TwoShops.FIRST;

	private final Shop second = TwoShops.SECOND;

	private final PaymentProvider provider = this.first.bean(PaymentProvider.class);

	@Test
	void withoutTheLockCustomersAreChargedTwice() {
		PaymentResult result = pay(this.first, "mode=UNLOCKED&orders=10");

		assertThat(result.chargedTwice()).isPositive();
		assertThat(result.charges()).isEqualTo(10 + result.chargedTwice());
	}

	@Test
	void withTheLockEverybodyIsChargedOnce() {
		PaymentResult result = pay(this.first, "mode=LOCKED&orders=10");

		assertThat(result).usingRecursiveComparison()
			.ignoringFields("millis")
			.isEqualTo(new PaymentResult(PaymentMode.LOCKED, 10, 10, 0, 0));
	}

	@Test
	void twoInstancesWithoutTheLockChargeTheSameOrders() {
		assertThat(TwoShops.askBoth((shop) -> pay(shop, "mode=UNLOCKED&orders=10&batch=both-unlocked")))
			.anySatisfy((result) -> {
				assertThat(result.chargedTwice()).isPositive();
				assertThat(result.charges()).isGreaterThan(10);
			});
	}

	@Test
	void twoInstancesWithTheLockChargeEverybodyOnce() {
		List<PaymentResult> results = TwoShops.askBoth((shop) -> pay(shop, "mode=LOCKED&orders=10&batch=both-locked"));

		assertThat(results).extracting(PaymentResult::charges).containsOnly(10);
		assertThat(results).extracting(PaymentResult::chargedTwice).containsOnly(0);
	}

	@Test
	void withoutTheProxyNobodyIsCharged() {
		PaymentService unlocked = new PaymentService(this.provider, new ProcessPause());

		assertThatIllegalStateException().isThrownBy(() -> unlocked.pay(new Order("no-proxy", 500)));

		assertThat(this.provider.ledger("no-proxy")).isEmpty();
	}

	@Test
	void laterPaymentGetsTheReceiptOfTheFirst() {
		JsonNode charged = payOne(this.first, "once");
		JsonNode paid = payOne(this.second, "once");

		assertThat(charged.get("charged").asBoolean()).isTrue();
		assertThat(paid.get("charged").asBoolean()).isFalse();
		assertThat(paid.get("token")).isEqualTo(charged.get("token"));
		assertThat(paid.get("by").asInt()).isEqualTo(this.first.port());
	}

	@Test
	void chargeWithStaleTokenIsRefusedAndNoted() {
		Order order = new Order("stale", 500);
		this.provider.charge(order, 42L);

		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> this.provider.charge(order, 41L))
			.satisfies((ex) -> assertThat(List.of(ex.token(), ex.newest())).containsExactly(41L, 42L));

		assertThat(this.provider.ledger("stale")).extracting(Charge::token, Charge::refused)
			.containsExactly(tuple(42L, false), tuple(41L, true));
	}

	@Test
	void chargeIsRefusedAsSoonAsTheNextOwnerHasLooked() {
		Order order = new Order("looked", 500);
		this.provider.find(order, 41L);
		assertThat(this.provider.find(order, 42L)).isEmpty();

		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> this.provider.charge(order, 41L));
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> this.provider.find(order, 41L));

		assertThat(this.provider.find(order, 42L)).isEmpty();
	}

	@Test
	void whoeverComesBehindTwentyIsToldWhenToComeAgain() throws Exception {
		LockClient locks = this.second.bean(LockClient.class);
		LockOptions options = LockOptions.defaults().waitTime(Duration.ofSeconds(60)).maxWaiters(20);
		List<CompletableFuture<Lease>> waiting;
		try (Lease holder = locks.acquire("order:crowded", options)) {
			waiting = Stream.generate(() -> locks.acquireAsync(holder.name(), options).toCompletableFuture())
				.limit(20)
				.toList();
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> locks.directory().queue(holder.name(), 30).size() == 20);

			this.first.http().post().uri("/api/payments/crowded").exchange((request, response) -> {
				assertThat(response.getStatusCode()).isEqualTo(HttpStatus.TOO_MANY_REQUESTS);
				assertThat(response.getHeaders().getFirst("Retry-After")).matches("[1-9]\\d*");
				return null;
			});
		}
		waiting.forEach((each) -> each.cancel(false));
	}

	@Test
	void answerHasTheNamesThatAreDocumented() {
		JsonNode answer = Shop.json(this.first.http().post().uri("/api/payments?mode=LOCKED"));

		assertThat(answer.propertyNames()).containsExactly("mode", "orders", "charges", "chargedTwice", "millis");
		assertThat(answer.get("orders").asInt()).isEqualTo(20);
	}

	private static PaymentResult pay(Shop shop, String query) {
		return shop.post("/api/payments?" + query, PaymentResult.class);
	}

	private static JsonNode payOne(Shop shop, String order) {
		return Shop.json(shop.http().post().uri("/api/payments/{order}", order));
	}

}
