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

import java.time.Instant;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * When the sales report is due: at the same moment in every instance. Notes who wrote it
 * and who skipped it.
 */
@Component
class SalesReportSchedule {

	private final SalesReport report;

	private final SalesReportBook book;

	private final Instances instances;

	private final SampleProperties properties;

	SalesReportSchedule(SalesReport report, SalesReportBook book, Instances instances, SampleProperties properties) {
		this.report = report;
		this.book = book;
		this.instances = instances;
		this.properties = properties;
	}

	@Scheduled(cron = "${sample.report-cron}")
	void onTheDot() {
		Instant now = Instant.now();
		Instant period = periodOf(now);
		try {
			String outcome = this.report.write(period)
				.map((byThisCall) -> byThisCall ? "wrote it" : "found it written")
				.orElse("skipped it");
			this.book.addAttempt(new SalesReportBook.Attempt(period, this.instances.self().port(), outcome, now));
		}
		catch (InterruptedException ex) {
			// This instance stops
			Thread.currentThread().interrupt();
		}
	}

	private Instant periodOf(Instant now) {
		long length = this.properties.reportPeriod().toMillis();
		return Instant.ofEpochMilli(now.toEpochMilli() / length * length);
	}

}
