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

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.internal.server.LockKeys;
import org.jspecify.annotations.Nullable;

/**
 * What all locks of a client share. Thread-safe; its methods may be called inside the
 * monitor of a lock.
 */
final class EngineContext {

	/**
	 * The longest sleep of a waiter while messages cannot reach this client.
	 */
	private static final long DEAF_POLL_NANOS = Time.nanos(100);

	final EngineSettings settings;

	final LockKeys keys;

	final PendingReleases pendingReleases;

	final Schedule schedule;

	/**
	 * The locks in use, by name.
	 */
	final ConcurrentMap<String, LocalLock> locks = new ConcurrentHashMap<>();

	final LostGrants lostGrants = new LostGrants();

	/**
	 * The requests whose holds are about to be ended by force, and how often.
	 */
	private final ConcurrentMap<String, Integer> pinned = new ConcurrentHashMap<>();

	final EngineHost host;

	/**
	 * Whether somebody may wait for a lock that a caller of this client holds.
	 */
	volatile boolean contended;

	/**
	 * Whether messages may have been missed since the latest look.
	 */
	final AtomicBoolean missedMessages = new AtomicBoolean();

	volatile boolean closed;

	/**
	 * Whether there may be locks to discard.
	 */
	volatile boolean torn;

	/**
	 * What has made an end of this client.
	 */
	volatile @Nullable Throwable broken;

	EngineContext(EngineSettings settings, LockKeys keys, PendingReleases pendingReleases, EngineHost host) {
		this.settings = settings;
		this.keys = keys;
		this.pendingReleases = pendingReleases;
		this.host = host;
		this.schedule = new Schedule(host);
	}

	long now() {
		return this.host.nanoTime();
	}

	/**
	 * Keeps the hold of a request from being passed on inside this client.
	 */
	void pin(String id) {
		this.pinned.merge(id, 1, Integer::sum);
	}

	void unpin(String id) {
		this.pinned.computeIfPresent(id, (key, count) -> (count > 1) ? count - 1 : null);
	}

	boolean isPinned(String id) {
		return this.pinned.containsKey(id);
	}

	/**
	 * Reads or changes the entry of a request inside the monitor.
	 * @return what came of it, or {@code null} if there is no such request
	 */
	<T> @Nullable T find(String key, String id, Function<QueueEntry, @Nullable T> action) {
		LocalLock lock = this.locks.get(this.keys.nameOf(key));
		if (lock == null) {
			return null;
		}
		return lock.call(() -> {
			QueueEntry entry = lock.find(id);
			return (entry != null) ? action.apply(entry) : null;
		});
	}

	/**
	 * The longest sleep of a waiter: without limit while messages can wake it.
	 */
	long pollNanos() {
		return this.host.hearsMessages() ? Long.MAX_VALUE / 4 : DEAF_POLL_NANOS;
	}

	/**
	 * Takes in that somebody waits for a lock that a caller of this client holds.
	 */
	void contend() {
		// All threads read this, so it is written only if that changes something.
		if (!this.contended) {
			this.contended = true;
		}
	}

	/**
	 * Declares the client broken. The watchdog closes it.
	 */
	void breakDown(Throwable cause) {
		this.broken = cause;
		this.closed = true;
	}

	/**
	 * Has a request released that its owner gives back although it is lost: its explicit
	 * lease is over, and the clock of the server may be slower, or may have been set
	 * back; or an Error has ended it here only.
	 */
	void releaseOver(String key, @Nullable String id) {
		if (id != null) {
			this.pendingReleases.add(key, id, now());
		}
	}

	/**
	 * Ends a grant as lost, and tells of it.
	 */
	LockLoss lose(Grant grant, Cause cause, long nowNanos) {
		LockLoss loss = grant.lossBy(cause, nowNanos);
		if (grant.isLive()) {
			if (cause == Cause.ERROR || cause == Cause.CLOSED || (cause == Cause.EXPIRED && !grant.isWatched())) {
				grant.overId(grant.entry.id());
			}
			if (grant.owner() instanceof Thread thread) {
				this.lostGrants.add(thread, loss, grant.count(), grant.overId());
			}
		}
		grant.lose(loss);
		this.host.lost(new LossNotice(loss, grant));
		return loss;
	}

}
