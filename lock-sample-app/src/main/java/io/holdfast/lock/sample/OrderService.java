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

import io.holdfast.lock.annotation.DistributedLock;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Takes orders. All three methods run the same code; they differ in their annotation.
 * <p>
 * The lock is around the transaction: a buyer who waits for the lock has no database
 * connection yet, and the next one reads what the one before has committed.
 */
@Service
public class OrderService {

	private final Articles articles;

	private final SampleProperties properties;

	OrderService(Articles articles, SampleProperties properties) {
		this.articles = articles;
		this.properties = properties;
	}

	/**
	 * Sells one unit. Wrong as soon as two buyers are here at the same time.
	 * @param articleId what to buy
	 * @return whether the customer got it; {@code false} if it is sold out
	 */
	@Transactional
	public boolean order(String articleId) {
		return sellOne(articleId);
	}

	/**
	 * Sells one unit, to one buyer at a time over all instances.
	 * @param articleId what to buy
	 * @return whether the customer got it; {@code false} if it is sold out
	 */
	@DistributedLock(name = "article", key = "#articleId", waitTimeString = "60s")
	@Transactional
	public boolean orderLocked(String articleId) {
		return sellOne(articleId);
	}

	/**
	 * Sells one unit, to one buyer at a time over all instances, first come, first
	 * served.
	 * @param articleId what to buy
	 * @return whether the customer got it; {@code false} if it is sold out
	 */
	@DistributedLock(name = "article", key = "#articleId", waitTimeString = "60s", fair = true)
	@Transactional
	public boolean orderFairly(String articleId) {
		return sellOne(articleId);
	}

	private boolean sellOne(String articleId) {
		int available = this.articles.available(articleId);
		if (available < 1) {
			return false;
		}
		pack();
		this.articles.sell(articleId, available - 1);
		return true;
	}

	private void pack() {
		try {
			Thread.sleep(this.properties.packingTime().toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted before the unit was packed", ex);
		}
	}

}
