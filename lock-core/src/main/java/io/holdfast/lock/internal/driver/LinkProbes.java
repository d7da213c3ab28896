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

package io.holdfast.lock.internal.driver;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Finds links that died unnoticed. If a reserved call has no answer for half of a
 * request's time, its link tries another connection. If that is answered, those before
 * are given up, dead or not, and calls that waited there may be sent again.
 *
 * @param <L> the kind of link
 */
final class LinkProbes<L extends Link> {

	/** How long after a probe that was answered there is none. */
	private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final long patienceNanos;

	private final Predicate<CompletableFuture<L>> isInUse;

	/** When the latest probe began, not counting those that failed. */
	private volatile long probedNanos = System.nanoTime() - PAUSE_NANOS;

	LinkProbes(Duration longestRequest, Predicate<CompletableFuture<L>> isInUse) {
		this.patienceNanos = longestRequest.toNanos() / 2;
		this.isInUse = isInUse;
	}

	/**
	 * Watches a call until it is over.
	 */
	void watch(@Nullable CompletableFuture<L> used, CompletableFuture<Void> over) {
		long since = System.nanoTime();
		CompletableFuture.delayedExecutor(this.patienceNanos, TimeUnit.NANOSECONDS, Runnable::run).execute(() -> {
			if (used != null && !over.isDone() && this.isInUse.test(used)) {
				watch(used, over);
				if (used.isDone() && !used.isCompletedExceptionally()) {
					probe(used.join(), () -> !over.isDone() && !used.join().isHeard(since));
				}
			}
		});
	}

	private void probe(L used, BooleanSupplier silent) {
		long now = System.nanoTime();
		if (now - this.probedNanos > PAUSE_NANOS && silent.getAsBoolean()) {
			this.probedNanos = now;
			Link.startThread(() -> {
				try {
					used.probe(silent);
				}
				catch (RuntimeException ex) {
					// Nothing answers, so nothing is known.
					this.probedNanos = now - PAUSE_NANOS;
				}
			});
		}
	}

}
