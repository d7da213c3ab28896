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

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongPredicate;
import java.util.function.Predicate;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * What the README lets its reader do in terminals: sell from several instances, kill -9
 * one in the middle of a long job, and stop another while it holds the lock of an order.
 */
class TakeoverIT extends AtOnePlace {

	private static final Log logger = LogFactory.getLog(TakeoverIT.class);

	/** As in application.yml. */
	private static final Duration WATCHDOG_TIMEOUT = Duration.ofSeconds(6);

	/** Leaves the other one time to charge. Whoever is first, nobody is charged twice. */
	private static final int PAUSE_SECONDS = 10;

	/** By which a hold is older than the timeout when its owner is killed. */
	private static final Duration SLACK = Duration.ofMillis(1500);

	private static final Duration START = Duration.ofSeconds(60);

	private static final Duration LONG = Duration.ofSeconds(20);

	List<ShopProcess> launched = new ArrayList<>();

	@AfterEach
	void endProcesses() {
		this.launched.forEach(ShopProcess::close);
	}

	@Test
	void othersGoOnWhenAnInstanceIsKilledOrFallsAsleep() throws IOException {
		ShopProcess first = launch();
		await(START, this.place::hasRedis, Boolean::booleanValue);
		List<ShopProcess> left = new ArrayList<>(List.of(first, launch(), launch()));
		left.forEach(ShopProcess::awaitSignedOn);
		sellOn(left);

		ShopProcess killed = killWhoeverCounts(left);
		left.remove(killed);
		payWhileTheOwnerSleeps(left.get(0), left.get(1));

		// The one that had started all the rest may be dead by now: the last one ends it
		left.get(0).kill();
		await(LONG, () -> !left.get(0).isAlive(), Boolean::booleanValue);
		payWhileNobodyElseWantsTo(left.get(1));
		left.get(1).stop();
		await(LONG, () -> !left.get(1).isAlive(), Boolean::booleanValue);
		await(LONG, () -> !this.place.hasRedis(), Boolean::booleanValue);
		this.place.awaitEndOfCompanion();
	}

	private ShopProcess launch() throws IOException {
		ShopProcess process = ShopProcess.launch(this.place);
		this.launched.add(process);
		return process;
	}

	/**
	 * Another one goes on, and no other misses the database.
	 */
	private static ShopProcess killWhoeverCounts(List<ShopProcess> shops) {
		shops.get(0).requestStocktaking();
		StocktakingProgress before = awaitCount(shops.get(0), (pid) -> true, 0);
		ShopProcess counting = shops.stream().filter((shop) -> shop.pid() == before.pid()).findFirst().orElseThrow();
		ShopProcess observer = shops.stream().filter((shop) -> shop != counting).findFirst().orElseThrow();
		Instance self = counting.awaitSignedOn();
		awaitHoldOlderThanTheTimeout(observer, self);
		awaitWaiters(observer, shops.size() - 1);

		try (DatabaseWatch watch = new DatabaseWatch(observer)) {
			counting.kill();
			awaitTakeover(observer, self);
			watch.assertNothingFailed();
		}
		StocktakingProgress after = awaitCount(observer, (pid) -> pid != counting.pid(), before.counted());
		assertThat(after.id()).isEqualTo(before.id());
		assertThat(after.token()).isGreaterThan(before.token());
		return counting;
	}

	/** The one that wakes up is refused by its token. */
	private static void payWhileTheOwnerSleeps(ShopProcess sleeper, ShopProcess other) {
		String order = "asleep";
		CompletableFuture<JsonNode> late = CompletableFuture.supplyAsync(() -> sleeper.pay(order, PAUSE_SECONDS));
		await(LONG, () -> other.lock("order:" + order), (answer) -> !holderOf(answer).isEmpty());
		JsonNode receipt = other.pay(order, 0);
		assertThat(late).isNotDone();
		JsonNode refusal = late.join();

		assertThat(receipt.get("charged").asBoolean()).isTrue();
		assertThat(refusal.get("title").asString()).isEqualTo("Stale token");
		assertThat(refusal.get("newest").asLong()).isEqualTo(receipt.get("token").asLong());
		assertThat(refusal.get("token").asLong()).isLessThan(refusal.get("newest").asLong());
		assertThat(other.ledger(order))
			.extracting((entry) -> entry.get("by").asInt(), (entry) -> entry.get("refused").asBoolean())
			.containsExactly(tuple(other.port(), false), tuple(sleeper.port(), true));
	}

	/** No newer token is in the way of the charge, but the lock was lost. */
	private static void payWhileNobodyElseWantsTo(ShopProcess sleeper) {
		JsonNode problem = sleeper.pay("alone", (int) WATCHDOG_TIMEOUT.toSeconds() + 2);

		assertThat(problem.get("status").asInt()).isEqualTo(409);
		assertThat(problem.get("detail").asString()).startsWith("The lock was lost meanwhile");
		assertThat(sleeper.ledger("alone")).extracting((entry) -> entry.get("refused").asBoolean())
			.containsExactly(false);
	}

	/**
	 * All have a part in the sale, as there is more than two of them sell, and nothing is
	 * oversold.
	 */
	private static void sellOn(List<ShopProcess> shops) {
		List<CompletableFuture<SaleResult>> sales = shops.stream()
			.map((shop) -> CompletableFuture
				.supplyAsync(() -> shop.sell("mode=LOCKED&stock=250&orders=100&article=shoes")))
			.toList();
		List<SaleResult> results = sales.stream().map(CompletableFuture::join).toList();

		assertThat(results).extracting(SaleResult::sold).allSatisfy((sold) -> assertThat(sold).isPositive());
		assertThat(results.stream().mapToInt(SaleResult::sold).sum()).isEqualTo(250);
		assertThat(results).extracting(SaleResult::oversold).containsOnly(0);
	}

	/** Waits until an instance has counted a shelf, after so many others. */
	private static StocktakingProgress awaitCount(ShopProcess observer, LongPredicate counting, int before) {
		return await(LONG, observer::stocktaking, (progress) -> progress != null && progress.pid() != null
				&& counting.test(progress.pid()) && progress.counted() > before);
	}

	private static void awaitHoldOlderThanTheTimeout(ShopProcess observer, Instance holder) {
		JsonNode answer = await(LONG, observer::stocktakingLock, TakeoverIT::isOlderThanTheTimeout);
		assertThat(holderOf(answer)).isEqualTo(holder.client());
	}

	private static boolean isOlderThanTheTimeout(JsonNode answer) {
		Instant since = Instant.parse(answer.at("/lock/since").asString());
		return since.plus(WATCHDOG_TIMEOUT).plus(SLACK).isBefore(Instant.now());
	}

	private static void awaitWaiters(ShopProcess observer, int count) {
		await(LONG, observer::stocktakingLock, (answer) -> answer.get("queue").size() == count);
	}

	private static void awaitTakeover(ShopProcess observer, Instance dead) {
		long killed = System.nanoTime();
		await(LONG, observer::stocktakingLock,
				(answer) -> !holderOf(answer).isEmpty() && !holderOf(answer).equals(dead.client()));
		logger.info("Taken over " + Duration.ofNanos(System.nanoTime() - killed).toMillis() + " ms after kill -9");
	}

	private static String holderOf(JsonNode answer) {
		return answer.at("/lock/holder/client").asString();
	}

	private static <T> T await(Duration atMost, Callable<T> question, Predicate<T> answer) {
		return Awaitility.await()
			.atMost(atMost)
			.pollInterval(Duration.ofMillis(50))
			.ignoreExceptionsMatching(RestClientException.class::isInstance)
			.until(question, answer);
	}

}
