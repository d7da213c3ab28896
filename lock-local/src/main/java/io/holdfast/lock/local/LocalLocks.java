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

package io.holdfast.lock.local;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.internal.memory.LockMemory;

/**
 * The locks that some {@link LocalLockClient}s share, as others share a Redis: clients
 * exclude each other if they were given the same object. Has no threads, needs no
 * closing, and forgets what nobody has used for a few minutes. Thread-safe.
 */
public final class LocalLocks {

	/**
	 * Begins with the time of day, so that fencing tokens are larger than those of
	 * earlier processes, and is never set back.
	 */
	private final long startMicros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());

	private final long startNanos = System.nanoTime();

	private final LockMemory memory = new LockMemory(this::micros);

	/**
	 * Create locks that nobody holds.
	 */
	public LocalLocks() {
	}

	private long micros() {
		return this.startMicros + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - this.startNanos);
	}

	LockMemory memory() {
		return this.memory;
	}

}
