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

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class SalesReportTests {

	@TempDir
	static Path directory;

	static Shop first;

	static Shop second;

	@BeforeAll
	static void openShops() {
		Place place = Place.in(directory);
		first = Shop.open(place, "--sample.report-period=300ms");
		second = Shop.open(place, "--sample.report-period=300ms");
	}

	@AfterAll
	static void closeShops() {
		Stream.of(second, first).forEach(Shop::close);
	}

	@Test
	void reportsAreWrittenOnScheduleOneInEachPeriod() {
		int before = reports().size();

		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> reports().size() >= before + 5);

		assertThat(reports()).extracting(SalesReport.Entry::period).doesNotHaveDuplicates();
	}

	@Test
	void eachPeriodHasOneReportHoweverManyInstancesTryToWriteIt() {
		int enough = reports().size() + 5;
		List<CompletableFuture<Void>> writers = Stream.of(first, first, second, second)
			.map((shop) -> CompletableFuture.runAsync(() -> writeUntilThereAre(enough, shop.bean(SalesReport.class))))
			.toList();

		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.until(() -> writers.stream().allMatch(CompletableFuture::isDone));

		writers.forEach(CompletableFuture::join);
		assertThat(reports()).extracting(SalesReport.Entry::period).doesNotHaveDuplicates();
	}

	private static List<SalesReport.Entry> reports() {
		return first.bean(SalesReport.class).latest(1000);
	}

	private static void writeUntilThereAre(int reports, SalesReport salesReport) {
		while (salesReport.latest(reports).size() < reports) {
			salesReport.write();
		}
	}

}
