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
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

class SalesReportTests {

	private final Shop first = TwoShops.FIRST;

	private final Shop second = TwoShops.SECOND;

	private final SalesReportBook book = this.first.bean(SalesReportBook.class);

	@Test
	void oneInstanceWritesTheReportAndTheOtherIsReportedToHaveSkippedIt() {
		List<SalesReportBook.Attempt> attempts = Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(this::attemptsThatWroteAndSkipped, Optional::isPresent)
			.orElseThrow();

		assertThat(attempts).extracting(SalesReportBook.Attempt::port)
			.containsExactlyInAnyOrder(this.first.port(), this.second.port());
		assertThat(this.book.latest(1000)).extracting(SalesReportBook.Entry::period).doesNotHaveDuplicates();
	}

	@Test
	void eachPeriodHasOneReportHoweverManyTryToWriteIt() {
		List<Instant> periods = LongStream.rangeClosed(1, 3).mapToObj(Instant::ofEpochSecond).toList();
		List<CompletableFuture<Void>> writers = Stream.of(this.first, this.first, this.second, this.second)
			.map((shop) -> CompletableFuture
				.runAsync(() -> periods.forEach((period) -> writeUntilItIsThere(shop, period))))
			.toList();

		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> writers.stream().allMatch(CompletableFuture::isDone));

		writers.forEach(CompletableFuture::join);
		assertThat(this.book.latest(1000)).extracting(SalesReportBook.Entry::period)
			.containsAll(periods)
			.doesNotHaveDuplicates();
	}

	@Test
	void pageGetsReportsAndAttempts() {
		Instant period = Instant.parse("2999-01-01T00:00:00Z");
		this.book.addReport(period, 7);
		this.book.addAttempt(new SalesReportBook.Attempt(period, 8, "skipped it", period.plusMillis(3)));

		JsonNode reports = Shop.json(this.second.http().get().uri("/api/jobs/sales-report"));
		JsonNode attempts = Shop.json(this.second.http().get().uri("/api/jobs/sales-report/attempts"));

		assertThat(reports.get(0).get("period").asString()).isEqualTo("2999-01-01T00:00:00Z");
		assertThat(reports.get(0).get("port").asInt()).isEqualTo(7);
		assertThat(attempts.get(0).get("port").asInt()).isEqualTo(8);
		assertThat(attempts.get(0).get("outcome").asString()).isEqualTo("skipped it");
		assertThat(attempts.get(0).get("at").asString()).isEqualTo("2999-01-01T00:00:00.003Z");
	}

	/**
	 * Those of one period, in that. On a busy machine others have one, are late, or find
	 * the report written.
	 */
	private Optional<List<SalesReportBook.Attempt>> attemptsThatWroteAndSkipped() {
		return this.book.latestAttempts(1000)
			.stream()
			.collect(Collectors.groupingBy(SalesReportBook.Attempt::period))
			.values()
			.stream()
			.filter((attempts) -> outcomes(attempts).equals(Set.of("wrote it", "skipped it")))
			.filter((attempts) -> attempts.stream()
				.allMatch((each) -> each.at().truncatedTo(ChronoUnit.SECONDS).equals(each.period())))
			.findFirst();
	}

	private static Set<String> outcomes(List<SalesReportBook.Attempt> attempts) {
		return attempts.stream().map(SalesReportBook.Attempt::outcome).collect(Collectors.toSet());
	}

	private void writeUntilItIsThere(Shop shop, Instant period) {
		try {
			while (!this.book.hasReport(period)) {
				shop.bean(SalesReport.class).write(period);
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
