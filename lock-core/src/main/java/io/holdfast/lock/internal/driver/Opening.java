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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.dao.QueryTimeoutException;

/**
 * Helpers for opening links.
 */
final class Opening {

	/** To open a link takes more steps than a call. */
	private static final Duration EXTRA = Duration.ofSeconds(1);

	private Opening() {
	}

	/**
	 * Waits for a link, for so long and a moment more.
	 * @throws NotSentException if it is not open by then
	 */
	static <L> L await(CompletableFuture<L> link, Duration limit) {
		Duration most = limit.plus(EXTRA);
		try {
			return link.get(most.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			throw new NotSentException(new QueryTimeoutException("no connection within " + most.toMillis()
					+ "ms; if connecting takes so long, raise holdfast.lock.command-timeout", ex));
		}
		catch (ExecutionException ex) {
			throw new NotSentException(ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new NotSentException(ex);
		}
	}

	/**
	 * Whichever opens first; the other one is closed if it opens, too.
	 */
	static <L extends Link> CompletableFuture<L> firstOf(CompletableFuture<L> one, CompletableFuture<L> other) {
		CompletableFuture<L> first = new CompletableFuture<>();
		AtomicInteger failures = new AtomicInteger();
		for (CompletableFuture<L> each : List.of(one, other)) {
			CompletableFuture<L> unused = each.whenComplete((open, failure) -> {
				if (failure == null && !first.complete(open)) {
					open.close();
				}
				else if (failure != null && failures.incrementAndGet() == 2) {
					first.completeExceptionally(failure);
				}
			});
		}
		return first;
	}

	/**
	 * Runs what may take any time.
	 */
	static void startThread(Runnable task) {
		Thread thread = new Thread(task, "holdfast-connect");
		thread.setDaemon(true);
		thread.start();
	}

}
