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

import java.util.Optional;

import io.holdfast.lock.Leases;
import io.holdfast.lock.annotation.DistributedLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Counts what lies on the shelves. It takes much longer than the watchdog timeout, and is
 * done by one instance at a time: the watchdog renews the lock until the last shelf is
 * counted. If that instance dies, the next one goes on from the last shelf in the book.
 */
@Service
public class Stocktaking {

	static final String LOCK = "stocktaking";

	private static final Log logger = LogFactory.getLog(Stocktaking.class);

	private final StocktakingBook book;

	private final Articles articles;

	private final Instances instances;

	private final SampleProperties properties;

	Stocktaking(StocktakingBook book, Articles articles, Instances instances, SampleProperties properties) {
		this.book = book;
		this.articles = articles;
		this.instances = instances;
		this.properties = properties;
	}

	/**
	 * Asks for a stocktaking, unless one is going on or somebody else is asking for one.
	 */
	@DistributedLock(name = LOCK, key = "#root.method.name", fallbackMethod = "leaveItToTheOther")
	@Transactional
	public void request() {
		if (this.book.unfinished().isEmpty()) {
			this.book.open(this.properties.shelves());
		}
	}

	void leaveItToTheOther() {
		logger.info("Somebody else asks for a stocktaking: one is enough");
	}

	/**
	 * Counts what is left to count, after waiting for the instance that does it now.
	 * @throws InterruptedException if this instance stops meanwhile
	 */
	@DistributedLock(name = LOCK, waitTime = Long.MAX_VALUE)
	public void carryOut() throws InterruptedException {
		long token = Leases.current().token();
		Optional<StocktakingProgress> unfinished = this.book.unfinished();
		if (unfinished.isEmpty()) {
			return;
		}
		StocktakingProgress progress = takeOver(unfinished.get(), token);
		this.book.enter(progress);
		while (!progress.isFinished()) {
			progress = countNextShelf(progress);
			this.book.enter(progress);
		}
	}

	private StocktakingProgress takeOver(StocktakingProgress before, long token) {
		Instance self = this.instances.self();
		return new StocktakingProgress(before.id(), before.shelves(), before.counted(), before.units(), token,
				self.port(), self.pid());
	}

	private StocktakingProgress countNextShelf(StocktakingProgress before) throws InterruptedException {
		Thread.sleep(this.properties.shelfTime().toMillis());
		int units = this.articles.unitsOn(before.counted());
		return new StocktakingProgress(before.id(), before.shelves(), before.counted() + 1, before.units() + units,
				before.token(), before.port(), before.pid());
	}

}
