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

package io.holdfast.lock.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.testing.Crew;

/**
 * Threads that take one lock again and again until they are told to stop, and fail if two
 * are in it at once or a token is not larger than the one before.
 */
final class FaultLoad {

	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicLong grants = new AtomicLong();

	private final AtomicLong failures = new AtomicLong();

	private volatile boolean stopped;

	private volatile long token;

	private volatile long longestGapNanos;

	private volatile long grantedNanos = System.nanoTime();

	/**
	 * Starts threads.
	 */
	void start(Crew crew, LeaseLock lock, int threads) {
		crew.start("load", threads, () -> {
			while (!this.stopped) {
				try {
					run(lock);
				}
				catch (LockServerException ex) {
					this.failures.incrementAndGet();
				}
			}
		});
	}

	private void run(LeaseLock lock) throws InterruptedException {
		if (!lock.tryLock(FaultClients.PATIENCE)) {
			throw new AssertionError("Starved");
		}
		enter(lock);
		this.inside.decrementAndGet();
		lock.unlock();
	}

	/**
	 * To be called by a thread that got the lock.
	 */
	private void enter(LeaseLock lock) {
		if (this.inside.incrementAndGet() != 1) {
			throw new AssertionError("Two hold the lock");
		}
		if (lock.token() <= this.token) {
			throw new AssertionError("Token " + lock.token() + " after " + this.token);
		}
		this.token = lock.token();
		long now = System.nanoTime();
		this.longestGapNanos = Math.max(this.longestGapNanos, now - this.grantedNanos);
		this.grantedNanos = now;
		this.grants.incrementAndGet();
	}

	long grants() {
		return this.grants.get();
	}

	/**
	 * How often the server gave no answer.
	 */
	long failures() {
		return this.failures.get();
	}

	Duration longestGap() {
		return Duration.ofNanos(this.longestGapNanos);
	}

	void awaitMore(int more) {
		long enough = grants() + more;
		FaultClients.await(more + " more grants", () -> grants() >= enough);
	}

	void stop(Crew crew) throws Exception {
		this.stopped = true;
		crew.join(FaultClients.PATIENCE);
	}

}
