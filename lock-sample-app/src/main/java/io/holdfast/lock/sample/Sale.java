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

import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.springframework.stereotype.Service;

/**
 * Opens the doors: many buyers order the same article at the same time.
 */
@Service
class Sale {

	private final Articles articles;

	private final OrderService orderService;

	private final Crowd crowd;

	private final Waits waits;

	Sale(Articles articles, OrderService orderService, Crowd crowd, Waits waits) {
		this.articles = articles;
		this.orderService = orderService;
		this.crowd = crowd;
		this.waits = waits;
	}

	/**
	 * Fires the orders and waits for all of them.
	 * @throws ExecutionException if an order failed, other than by being rejected
	 */
	SaleResult run(SaleMode mode, String articleId, int stock, int orders)
			throws InterruptedException, ExecutionException {
		this.articles.putOnSale(articleId, stock);
		Callable<Boolean> wish = () -> this.waits.measure(articleId, () -> order(mode, articleId));
		long start = System.nanoTime();
		List<Boolean> results = this.crowd.rush(Collections.nCopies(orders, wish));
		long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
		int sold = Collections.frequency(results, true);
		Article article = this.articles.find(articleId).orElseThrow();
		return new SaleResult(mode, article.stock(), orders, sold, orders - sold, article.oversold(), millis);
	}

	private boolean order(SaleMode mode, String articleId) {
		return switch (mode) {
			case UNLOCKED -> this.orderService.order(articleId);
			case LOCKED -> this.orderService.orderLocked(articleId);
			case FAIR -> this.orderService.orderFairly(articleId);
		};
	}

}
