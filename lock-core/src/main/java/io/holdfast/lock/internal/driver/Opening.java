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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisSystemException;

/**
 * Opens something that may hang for as long as a driver likes, on a thread of its own and
 * once at a time, so that whoever needs it waits no longer than it can.
 *
 * @param <T> what is opened
 */
final class Opening<T> {

	private static final Duration EXTRA = Duration.ofSeconds(1);

	private final Supplier<T> source;

	private @Nullable CompletableFuture<T> underWay;

	Opening(Supplier<T> source) {
		this.source = source;
	}

	/**
	 * Waits until it is open, or could not be opened. That takes more steps than a call
	 * on a connection that is there, so there is {@link #EXTRA} time for it.
	 * @param limit how long the caller can wait for a call
	 * @throws QueryTimeoutException if that takes longer
	 * @throws RuntimeException what the source has thrown
	 */
	T await(Duration limit) {
		return awaitAtMost(limit.plus(EXTRA));
	}

	T awaitAtMost(Duration most) {
		try {
			return begin().get(most.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			throw new QueryTimeoutException("no connection within " + most.toMillis() + " ms", ex);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RuntimeException cause) {
				throw cause;
			}
			throw new RedisSystemException("It could not be opened", ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RedisSystemException("Interrupted while a connection was opened", ex);
		}
	}

	private synchronized CompletableFuture<T> begin() {
		CompletableFuture<T> present = this.underWay;
		if (present == null || present.isDone()) {
			present = CompletableFuture.supplyAsync(this.source, Opening::execute);
			this.underWay = present;
		}
		return present;
	}

	private static void execute(Runnable task) {
		Thread thread = new Thread(task, "holdfast-connect");
		thread.setDaemon(true);
		thread.start();
	}

}
