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
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the README lets its reader do in two terminals: sell from both, and kill -9 an
 * instance in the middle of a long job. The first one to be killed is the one that
 * started Redis and serves the database.
 */
class TakeoverIT {

	private static final Log logger = LogFactory.getLog(TakeoverIT.class);

	/** As in application.yml. */
	private static final Duration WATCHDOG_TIMEOUT = Duration.ofSeconds(5);

	/** For the look at the state and its way here, on a busy machine. */
	private static final Duration SLACK = Duration.ofMillis(1500);

	private static final Duration LONG = Duration.ofSeconds(20);

	@TempDir
	Path directory;

	Place place;

	List<ShopProcess> launched = new ArrayList<>();

	@BeforeEach
	void choosePlace() {
		this.place = Place.in(this.directory);
	}

	@AfterEach
	void endAll() {
		this.launched.forEach(ShopProcess::close);
		this.place.endRedis();
	}

	@Test
	void anotherInstanceGoesOnWithinTheWatchdogTimeoutWhenTheOneThatCountsIsKilled() throws IOException {
		ShopProcess first = launch();
		first.awaitSignedOn();
		first.requestStocktaking();
		ShopProcess second = launch();
		Instance firstSelf = first.awaitSignedOn();
		Instance secondSelf = second.awaitSignedOn();

		StocktakingProgress before = awaitCount(second, firstSelf, 1);
		sellOnBoth(first, second);
		awaitHoldOlderThanTheTimeout(second, firstSelf);
		awaitWaiter(second, secondSelf);
		first.kill();
		awaitTakeover(second, secondSelf);
		StocktakingProgress between = awaitCount(second, secondSelf, before.counted());
		assertThat(between.id()).isEqualTo(before.id());
		assertThat(between.token()).isGreaterThan(before.token());

		ShopProcess third = launch();
		Instance thirdSelf = third.awaitSignedOn();
		awaitWaiter(third, thirdSelf);
		second.kill();
		awaitTakeover(third, thirdSelf);
		StocktakingProgress after = awaitCount(third, thirdSelf, between.counted());
		assertThat(after.id()).isEqualTo(before.id());
		assertThat(after.token()).isGreaterThan(between.token());

		third.stop();
		await(LONG, () -> !third.isAlive(), Boolean::booleanValue);
		assertThat(this.place.hasRedis()).isFalse();
	}

	private ShopProcess launch() throws IOException {
		ShopProcess process = ShopProcess.launch(this.place);
		this.launched.add(process);
		return process;
	}

	/** Both have a part in the sale, and nothing is oversold. */
	private static void sellOnBoth(ShopProcess first, ShopProcess second) {
		List<SaleResult> results = Stream.of(first, second)
			.map((shop) -> CompletableFuture
				.supplyAsync(() -> shop.sell("mode=LOCKED&stock=300&orders=400&article=shoes")))
			.toList()
			.stream()
			.map(CompletableFuture::join)
			.toList();

		assertThat(results).extracting(SaleResult::sold).allSatisfy((sold) -> assertThat(sold).isPositive());
		assertThat(results.stream().mapToInt(SaleResult::sold).sum()).isEqualTo(300);
		assertThat(results).extracting(SaleResult::oversold).containsOnly(0);
	}

	/** Waits until an instance has counted a shelf, after so many others. */
	private static StocktakingProgress awaitCount(ShopProcess observer, Instance counting, int before) {
		return await(LONG, observer::stocktaking, (progress) -> progress != null && progress.pid() != null
				&& progress.pid() == counting.pid() && progress.counted() > before);
	}

	private static void awaitHoldOlderThanTheTimeout(ShopProcess observer, Instance holder) {
		JsonNode answer = await(LONG, observer::stocktakingLock, TakeoverIT::isOlderThanTheTimeout);
		assertThat(holderOf(answer)).isEqualTo(holder.client());
	}

	private static boolean isOlderThanTheTimeout(JsonNode answer) {
		Instant since = Instant.parse(answer.at("/lock/since").asString());
		return since.plus(WATCHDOG_TIMEOUT).plus(SLACK).isBefore(Instant.now());
	}

	private static void awaitWaiter(ShopProcess observer, Instance waiter) {
		await(LONG, observer::stocktakingLock,
				(answer) -> waiter.client().equals(answer.at("/queue/0/client").asString()));
	}

	private static void awaitTakeover(ShopProcess observer, Instance next) {
		long killed = System.nanoTime();
		await(WATCHDOG_TIMEOUT.plus(SLACK), observer::stocktakingLock,
				(answer) -> next.client().equals(holderOf(answer)));
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
