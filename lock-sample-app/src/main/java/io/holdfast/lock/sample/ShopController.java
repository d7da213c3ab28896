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
import java.util.UUID;
import java.util.concurrent.ExecutionException;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import org.jspecify.annotations.Nullable;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The shop over HTTP.
 */
@RestController
@RequestMapping("/api")
class ShopController {

	private static final String NAME = "[\\w-]{1,64}";

	private final Sale sale;

	private final Articles articles;

	private final Waits waits;

	private final ParcelRush parcelRush;

	private final PriceRush priceRush;

	private final Instances instances;

	ShopController(Sale sale, Articles articles, Waits waits, ParcelRush parcelRush, PriceRush priceRush,
			Instances instances) {
		this.sale = sale;
		this.articles = articles;
		this.waits = waits;
		this.parcelRush = parcelRush;
		this.priceRush = priceRush;
		this.instances = instances;
	}

	/**
	 * Fires many orders at one article. Without {@code article} it is a new one. Requests
	 * that name the same article sell the same units, from whichever instance: the first
	 * of them sets the stock.
	 */
	@PostMapping("/sales")
	SaleResult sell(@RequestParam SaleMode mode, @RequestParam(defaultValue = "100") @Min(0) @Max(100_000) int stock,
			@RequestParam(defaultValue = "1000") @Min(1) @Max(100_000) int orders,
			@RequestParam(required = false) @Pattern(regexp = NAME) @Nullable String article)
			throws InterruptedException, ExecutionException {
		String articleId = (article != null) ? article : UUID.randomUUID().toString();
		return this.sale.run(mode, articleId, stock, orders);
	}

	@GetMapping("/articles/{id}")
	ResponseEntity<Article> article(@PathVariable String id) {
		return ResponseEntity.of(this.articles.find(id));
	}

	/** How long the buyers at this instance waited. */
	@GetMapping("/articles/{id}/waits")
	List<Waits.Wait> waits(@PathVariable String id) {
		return this.waits.of(id);
	}

	/** Ships parcels with the courier that all instances share. */
	@PostMapping("/parcels")
	ParcelResult ship(@RequestParam ParcelMode mode, @RequestParam(defaultValue = "100") @Min(1) @Max(1000) int parcels)
			throws InterruptedException, ExecutionException {
		return this.parcelRush.run(mode, parcels);
	}

	/**
	 * Reads a price list, and changes it now and then. Requests that name the same list
	 * share it, from whichever instance.
	 */
	@PostMapping("/prices")
	PriceResult read(@RequestParam PriceMode mode, @RequestParam(defaultValue = "100") @Min(1) @Max(1000) int reads,
			@RequestParam(required = false) @Pattern(regexp = NAME) @Nullable String list)
			throws InterruptedException, ExecutionException {
		return this.priceRush.run(mode, (list != null) ? list : UUID.randomUUID().toString(), reads);
	}

	@GetMapping("/instances")
	List<Instance> instances() {
		return this.instances.alive();
	}

}
