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

package io.holdfast.lock.actuate;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.holdfast.lock.LockDirectory.ClientList;
import org.jspecify.annotations.Nullable;

/**
 * The clients as they were a moment ago. However many look, they are asked once a second
 * at most, and not at all while nobody looks. Thread-safe.
 */
final class RecentClients {

	private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Supplier<ClientList> source;

	private final LongSupplier nanoTime;

	/** Whoever has it asks, and the others wait for its answer. */
	private final ReentrantLock turn = new ReentrantLock();

	private @Nullable ClientList latest;

	private long latestNanos;

	RecentClients(Supplier<ClientList> source, LongSupplier nanoTime) {
		this.source = source;
		this.nanoTime = nanoTime;
	}

	ClientList get() {
		this.turn.lock();
		try {
			ClientList known = this.latest;
			if (known == null || this.nanoTime.getAsLong() - this.latestNanos >= FRESH_NANOS) {
				known = this.source.get();
				// Who was interrupted did not wait for all of them.
				this.latest = Thread.currentThread().isInterrupted() ? null : known;
				this.latestNanos = this.nanoTime.getAsLong();
			}
			return known;
		}
		finally {
			this.turn.unlock();
		}
	}

}
