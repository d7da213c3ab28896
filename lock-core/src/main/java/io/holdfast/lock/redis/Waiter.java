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
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.server.RedisErrors;
import org.jspecify.annotations.Nullable;

/**
 * A thread of this client that wants a lock, for itself or for a handle. What is not
 * final is guarded by the {@link LocalLock}.
 */
final class Waiter {

	private static final int MAX_LATE = 3;

	final Thread thread = Thread.currentThread();

	/**
	 * Who will own the grant: the thread, or the handle.
	 */
	final Object owner;

	final LeaseSpec lease;

	/**
	 * Whether it waits at all, and until when.
	 */
	final boolean waits;

	final long deadlineNanos;

	@Nullable Grant grant;

	/**
	 * Whether it has had its one attempt at least.
	 */
	boolean attempted;

	/**
	 * Whether the server said that another holds the lock, to one that does not wait.
	 */
	boolean refused;

	/**
	 * How often in a row the server found its requests too late, or their holds or places
	 * over.
	 */
	int late;

	/**
	 * Whether the servers of a quorum said at last that nobody has the lock.
	 */
	boolean split;

	/**
	 * The latest failure of the server, and since when it has failed without a break.
	 */
	@Nullable LockServerException failure;

	private long failingSinceNanos;

	/**
	 * Why it did not take a grant that it had. What it waits for since then may be its
	 * own hold.
	 */
	@Nullable LockServerException dismissed;

	Waiter(Object owner, LeaseSpec lease, boolean waits, long deadlineNanos) {
		this.owner = owner;
		this.lease = lease;
		this.waits = waits;
		this.deadlineNanos = deadlineNanos;
	}

	/**
	 * Hands it the grant.
	 */
	void granted(Grant granted) {
		this.grant = granted;
		LockSupport.unpark(this.thread);
	}

	boolean isTimedOut(long nowNanos) {
		return nowNanos - this.deadlineNanos >= 0;
	}

	/**
	 * Whether the server failed in a way, or for so long, that it makes no sense to go
	 * on.
	 * @param patience how long it may fail without a break
	 */
	boolean isHopeless(long nowNanos, Duration patience) {
		boolean atOnce = isTimedOut(nowNanos) || !this.waits;
		if (this.failure == null) {
			return atOnce && this.late >= MAX_LATE;
		}
		return atOnce || this.failure.reason() == Reason.REFUSED
				|| nowNanos - this.failingSinceNanos >= patience.toNanos();
	}

	/**
	 * Why it has no grant, or {@code null} if that is because another holds the lock.
	 */
	@Nullable LockServerException reason(String name) {
		if (this.failure != null) {
			return this.failure;
		}
		if (this.dismissed != null) {
			return this.dismissed;
		}
		if (this.split) {
			return RedisErrors.failure(name, Reason.UNAVAILABLE,
					"several clients asked the servers of its quorum at once, and none had a majority", null);
		}
		if (this.late > 0) {
			return RedisErrors.failure(name, Reason.TIMED_OUT,
					"Redis received " + this.late + " request(s) too late to act on them", null);
		}
		return null;
	}

	/**
	 * Takes in that another holds the lock, which it does not wait for.
	 */
	void refuse() {
		this.refused = true;
	}

	/**
	 * Takes in that the server failed.
	 */
	void failed(LockServerException failed, long nowNanos) {
		if (this.failure == null) {
			this.failingSinceNanos = nowNanos;
		}
		this.failure = failed;
	}

}
