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

import java.time.Duration;
import java.util.Comparator;
import java.util.List;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockType;
import org.jspecify.annotations.Nullable;

/**
 * Several locks of which the calling thread has all or none. Has no state, as those have
 * none.
 */
final class MultiLock implements ThreadOwnedLock {

	private final LockRuntime runtime;

	private final List<ThreadLock> locks;

	private final LockType type;

	/**
	 * Create the lock.
	 * @param locks in the order in which everybody acquires them
	 */
	MultiLock(LockRuntime runtime, List<ThreadLock> locks, LockType type) {
		this.runtime = runtime;
		this.locks = locks;
		this.type = type;
	}

	@Override
	public LeaseLock named(String declared) {
		List<ThreadLock> named = this.locks.stream().map((each) -> each.named(declared)).toList();
		return new MultiLock(this.runtime, named, this.type);
	}

	@Override
	public String name() {
		return AllOrNothing.describe(names());
	}

	@Override
	public List<String> names() {
		return this.locks.stream().map(ThreadLock::name).toList();
	}

	@Override
	public LockRuntime runtime() {
		return this.runtime;
	}

	@Override
	public LockType type() {
		return this.type;
	}

	@Override
	public @Nullable String acquireOrRefusal(Duration maxWait, Duration lease, boolean interruptible)
			throws InterruptedException {
		AllOrNothing.SingleAcquire<ThreadLock> single = (name, left) -> {
			ThreadLock lock = this.locks.get(names().indexOf(name));
			return (lock.acquireOrRefusal(left, lease, interruptible) == null) ? lock : null;
		};
		return new AllOrNothing<>(this.runtime.engine()::now, single, ThreadLock::isHeldByCurrentThread,
				ThreadLock::unlock)
			.acquire(names(), maxWait)
			.refused();
	}

	@Override
	public void unlock() {
		// Only this thread takes away what it owes. A loss that is forgotten in between,
		// behind a thousand later ones, is the one race.
		ThreadLock missing = this.locks.stream().filter((each) -> !each.isOwed()).findFirst().orElse(null);
		if (missing != null) {
			throw missing.notHeld();
		}
		AllOrNothing.giveBackAll(this.locks, ThreadLock::unlock);
	}

	@Override
	public boolean forceUnlock() {
		boolean ended = false;
		for (ThreadLock lock : this.locks) {
			ended |= lock.forceUnlock();
		}
		return ended;
	}

	@Override
	public boolean isLocked() {
		return this.locks.stream().anyMatch(ThreadLock::isLocked);
	}

	@Override
	public boolean isHeldByCurrentThread() {
		return this.locks.stream().allMatch(ThreadLock::isHeldByCurrentThread);
	}

	@Override
	public int holdCount() {
		return this.locks.stream().mapToInt(ThreadLock::holdCount).min().orElse(0);
	}

	@Override
	public Duration validFor() {
		return this.locks.stream().map(ThreadLock::validFor).min(Comparator.naturalOrder()).orElse(Duration.ZERO);
	}

	@Override
	public long token() {
		throw new IllegalStateException(
				"Each of the locks " + name() + " has a fencing token of its own: use lease().token(name)");
	}

	@Override
	public Lease lease() {
		return new MultiLease(this.locks.stream().map(ThreadLock::lease).toList());
	}

	@Override
	public String toString() {
		return "LeaseLock[" + name() + ", " + this.type + "]";
	}

}
