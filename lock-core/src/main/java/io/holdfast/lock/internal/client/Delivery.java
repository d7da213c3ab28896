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

package io.holdfast.lock.internal.client;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.holdfast.lock.internal.server.ErrorLog;

/**
 * Delivers what waits in a queue, on a thread of its own, which ends when there is
 * nothing for a while. Thread-safe.
 */
final class Delivery {

	/*
	 * Why there is one thread at a time, and nothing stays behind. Who puts the mark
	 * "scheduled" starts the thread, and only the thread takes the mark away. After that
	 * it looks once more: what came just before found the mark, and counts on this
	 * thread. What finds no thread, because the machine has none left, or no memory,
	 * waits for the next call of start().
	 */

	private static final ErrorLog errors = new ErrorLog(Delivery.class);

	private final NodeExecutors executor;

	private final BooleanSupplier isEmpty;

	private final Runnable deliverAll;

	/**
	 * Whether a thread will look into the queue, or is about to leave it.
	 */
	private final AtomicBoolean scheduled = new AtomicBoolean();

	/**
	 * Create the delivery from a queue.
	 * @param isEmpty whether nothing waits
	 * @param deliverAll delivers until nothing waits
	 */
	Delivery(String threadNames, BooleanSupplier isEmpty, Runnable deliverAll) {
		this.executor = new NodeExecutors(threadNames, 1);
		this.isEmpty = isEmpty;
		this.deliverAll = deliverAll;
	}

	/**
	 * Makes sure that a thread delivers what there is.
	 */
	void start() {
		if (isWanted()) {
			try {
				this.executor.execute("", this::run);
			}
			catch (RuntimeException | Error ex) {
				this.scheduled.set(false);
				errors.warn("Notices are told later", ex);
			}
		}
	}

	private void run() {
		do {
			try {
				this.deliverAll.run();
			}
			finally {
				this.scheduled.set(false);
			}
			// Something may have come just before that, and the executor may be closed.
		}
		while (isWanted());
	}

	private boolean isWanted() {
		return !this.isEmpty.getAsBoolean() && this.scheduled.compareAndSet(false, true);
	}

	/**
	 * Whether all that came was delivered.
	 */
	boolean isDone() {
		return this.isEmpty.getAsBoolean() && !this.scheduled.get();
	}

	/**
	 * Goes on with what there is, and starts no thread any more.
	 */
	void close() {
		this.executor.close();
	}

}
