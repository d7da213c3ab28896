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
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Looks whether there is stock to take. All instances do; the lock decides who works and
 * who waits. That may take for ever, so it has a thread of its own, which is interrupted
 * when the instance stops.
 */
@Component
class StocktakingWorker implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(StocktakingWorker.class);

	private static final Duration LOOK_EVERY = Duration.ofMillis(500);

	private final StocktakingBook book;

	private final Stocktaking stocktaking;

	private final Semaphore asked = new Semaphore(0);

	private @Nullable Thread thread;

	StocktakingWorker(StocktakingBook book, Stocktaking stocktaking) {
		this.book = book;
		this.stocktaking = stocktaking;
	}

	@Override
	public synchronized void start() {
		this.thread = new Thread(this::work, "stocktaking");
		this.thread.start();
	}

	private void work() {
		try {
			while (!Thread.interrupted()) {
				carryOutIfAsked();
				this.asked.tryAcquire(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
				this.asked.drainPermits();
			}
		}
		catch (InterruptedException ex) {
			logger.debug("This instance stops", ex);
		}
	}

	/** Looks at once. */
	void look() {
		this.asked.release();
	}

	private void carryOutIfAsked() throws InterruptedException {
		try {
			if (this.book.unfinished().isPresent()) {
				this.stocktaking.carryOut();
			}
		}
		catch (RuntimeException ex) {
			logger.warn("The stocktaking did not get to its end and will be tried again", ex);
		}
	}

	@Override
	public synchronized void stop() {
		if (this.thread != null) {
			this.thread.interrupt();
			this.thread = null;
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.thread != null;
	}

}
