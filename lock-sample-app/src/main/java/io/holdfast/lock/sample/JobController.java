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

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * The jobs over HTTP.
 */
@RestController
@RequestMapping("/api/jobs")
class JobController {

	private final Stocktaking stocktaking;

	private final StocktakingBook book;

	private final SalesReportBook reports;

	private final StocktakingWorker worker;

	JobController(Stocktaking stocktaking, StocktakingWorker worker, StocktakingBook book, SalesReportBook reports) {
		this.stocktaking = stocktaking;
		this.worker = worker;
		this.book = book;
		this.reports = reports;
	}

	/**
	 * Asks for a stocktaking. Answers at once; any instance may carry it out, mostly this
	 * one, which looks first.
	 */
	@PostMapping("/stocktaking")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void requestStocktaking() {
		this.stocktaking.request();
		this.worker.look();
	}

	@GetMapping("/stocktaking")
	ResponseEntity<StocktakingProgress> stocktaking() {
		return this.book.latest().map(ResponseEntity::ok).orElseGet(() -> ResponseEntity.noContent().build());
	}

	@GetMapping("/sales-report")
	List<SalesReportBook.Entry> reports() {
		return this.reports.latest(3);
	}

	/** Which instance wrote the latest reports and which skipped them. */
	@GetMapping("/sales-report/attempts")
	List<SalesReportBook.Attempt> reportAttempts() {
		return this.reports.latestAttempts(20);
	}

}
