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

package io.holdfast.lock.internal.engine;

import java.util.ArrayList;
import java.util.List;

import io.holdfast.lock.internal.server.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * What one pass of the watchdog has to do. Not thread-safe.
 */
public final class Look {

	private final List<Due> renewals = new ArrayList<>();

	private final List<Grant> orphans = new ArrayList<>();

	private final List<Grant> longHolds = new ArrayList<>();

	private final List<LongWait> longWaits = new ArrayList<>();

	private final List<List<BlockedThread>> deadlocks = new ArrayList<>();

	private @Nullable String waitedFor;

	void add(QueueEntry entry, @Nullable Renewal renewal) {
		if (entry.isWaiting()) {
			this.waitedFor = entry.lock.key();
		}
		if (renewal != null) {
			this.renewals.add(new Due(entry, renewal));
		}
	}

	void add(Grant orphan) {
		this.orphans.add(orphan);
	}

	void addLongHold(Grant held) {
		this.longHolds.add(held);
	}

	void add(LongWait wait) {
		this.longWaits.add(wait);
	}

	void addDeadlock(List<BlockedThread> cycle) {
		this.deadlocks.add(cycle);
	}

	/**
	 * The renewals to send.
	 */
	public List<Due> renewals() {
		return this.renewals;
	}

	/**
	 * What is not renewed any more because its owner is gone.
	 */
	public List<Grant> orphans() {
		return this.orphans;
	}

	/**
	 * What is held for too long, each hold once.
	 */
	public List<Grant> longHolds() {
		return this.longHolds;
	}

	/**
	 * Who waits for too long, each caller once.
	 */
	public List<LongWait> longWaits() {
		return this.longWaits;
	}

	/**
	 * The deadlocks, each cycle once, in wait order: each thread waits for a lock that
	 * the next holds, the last for one of the first.
	 */
	public List<List<BlockedThread>> deadlocks() {
		return this.deadlocks;
	}

	/**
	 * The key of a lock that somebody waits for, or {@code null}.
	 */
	public @Nullable String waitedFor() {
		return this.waitedFor;
	}

	/**
	 * A renewal to send.
	 *
	 * @param entry what it is about
	 * @param renewal what to send
	 */
	public record Due(QueueEntry entry, Renewal renewal) {

		/**
		 * The key of the lock.
		 */
		public String key() {
			return this.renewal.key();
		}

	}

	/**
	 * Callers who wait for a lock for too long, and have not been told of before.
	 *
	 * @param key the key of the lock
	 * @param name the name of the lock
	 * @param callers how many they are
	 * @param longestNanos how long the first of them has waited
	 * @param holder what another caller of this client holds meanwhile, or {@code null}
	 */
	public record LongWait(String key, String name, int callers, long longestNanos, @Nullable Grant holder) {
	}

	/**
	 * A thread that waits for a lock.
	 *
	 * @param thread the thread
	 * @param lockName the name of the lock
	 */
	public record BlockedThread(Thread thread, String lockName) {
	}

}
