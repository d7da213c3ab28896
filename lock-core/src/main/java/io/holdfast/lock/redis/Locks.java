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

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.server.LockServer;
import org.jspecify.annotations.Nullable;

/**
 * The locks that this client holds or waits for, and how they are given back. What a name
 * needs is here while it is used and gone afterwards.
 */
final class Locks {

	/**
	 * The longest sleep of a waiter while messages cannot reach this client.
	 */
	private static final long DEAF_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	final Settings settings;

	final LockServer server;

	final LongSupplier nanoTime;

	final Leftovers leftovers;

	final LossNotifier notifier;

	private final BooleanSupplier hears;

	private final ConcurrentMap<String, LocalLock> locks = new ConcurrentHashMap<>();

	private volatile boolean closed;

	Locks(Settings settings, LockServer server, LongSupplier nanoTime, Leftovers leftovers, LossNotifier notifier,
			BooleanSupplier hears) {
		this.settings = settings;
		this.server = server;
		this.nanoTime = nanoTime;
		this.leftovers = leftovers;
		this.notifier = notifier;
		this.hears = hears;
	}

	long now() {
		return this.nanoTime.getAsLong();
	}

	/**
	 * The longest sleep of a waiter: without limit while messages can wake it.
	 */
	long pollNanos() {
		return this.hears.getAsBoolean() ? Long.MAX_VALUE : DEAF_POLL_NANOS;
	}

	Collection<LocalLock> all() {
		return this.locks.values();
	}

	@Nullable LocalLock find(String name) {
		return this.locks.get(name);
	}

	/**
	 * The lock of a name, kept until {@link #unuse} was called as often as this.
	 */
	LocalLock use(String name, String key) {
		return this.locks.compute(name, (unused, found) -> {
			LocalLock lock = (found != null) ? found : new LocalLock(name, key);
			lock.users++;
			return lock;
		});
	}

	void unuse(LocalLock lock) {
		this.locks.compute(lock.name, (unused, found) -> (found == lock && --lock.users == 0) ? null : found);
	}

	void checkOpen(String name) {
		if (this.closed) {
			throw new LockClientClosedException(name);
		}
	}

	void checkOpen() {
		if (this.closed) {
			throw new LockClientClosedException();
		}
	}

	boolean isClosed() {
		return this.closed;
	}

	/**
	 * The valid grant of an owner, or {@code null}.
	 */
	@Nullable Grant validGrant(String name, Object owner) {
		Grant grant = grant(name, owner);
		return (grant != null && grant.isValid(now())) ? grant : null;
	}

	/**
	 * What an owner has not given back yet, even if it was lost, or {@code null}.
	 */
	@Nullable Grant grant(String name, Object owner) {
		LocalLock lock = find(name);
		if (lock == null) {
			return null;
		}
		synchronized (lock) {
			return lock.grantOf(owner);
		}
	}

	/**
	 * The live grant under a request, or {@code null} if the request is not this
	 * client's.
	 */
	@Nullable Grant current(String name, String id) {
		LocalLock lock = find(name);
		if (lock == null) {
			return null;
		}
		synchronized (lock) {
			Contender contender = lock.find(id);
			return (contender != null) ? contender.grant() : null;
		}
	}

	int countOf(Grant grant) {
		synchronized (grant.lock) {
			return grant.count;
		}
	}

	/**
	 * Loses the grant of a contender if its deadline has passed. Needs the lock's
	 * monitor.
	 */
	void expire(Contender contender, long nowNanos) {
		Grant grant = contender.grant();
		if (grant != null && nowNanos - grant.deadlineNanos() >= 0) {
			lose(contender, Cause.EXPIRED, nowNanos);
		}
	}

	/**
	 * Ends the grant of a contender before its owner released it, and lets the next in
	 * line try. Needs the lock's monitor.
	 */
	void lose(Contender contender, Cause cause, long nowNanos) {
		LocalLock lock = contender.lock;
		Grant grant = contender.grant();
		if (grant == null || grant.isReleased()) {
			return;
		}
		if (grant.unconfirmed) {
			// Whoever confirms it will find out, before its owner has seen it.
			if (cause == Cause.FORCED) {
				contender.forced();
			}
			return;
		}
		// What is left of the hold in Redis, if anything, need not be waited for.
		this.leftovers.add(lock.key, contender.ids(), nowNanos);
		contender.restart(nowNanos);
		tell(lock, grant, cause, nowNanos);
	}

	private void tell(LocalLock lock, Grant grant, Cause cause, long nowNanos) {
		this.notifier.send(grant.lose(cause, nowNanos));
		if (!(grant.owner instanceof Thread) && lock.remove(grant)) {
			unuse(lock);
		}
	}

	/**
	 * Lets go of everything: nothing is held any more, and all who wait are told so.
	 */
	void close() {
		this.closed = true;
		Set<String> silent = new HashSet<>();
		for (LocalLock lock : all()) {
			String node = this.server.topology().nodeOf(lock.key);
			for (List<String> ids : abandon(lock)) {
				if (!silent.contains(node) && !releaseQuietly(lock.key, ids)) {
					silent.add(node);
				}
			}
		}
		if (silent.isEmpty()) {
			this.leftovers.release(this.server);
		}
	}

	private List<List<String>> abandon(LocalLock lock) {
		List<List<String>> standing = new ArrayList<>();
		synchronized (lock) {
			lock.grants().forEach((grant) -> abandon(lock, grant));
			for (Contender contender : lock.contenders()) {
				if (contender.stands()) {
					standing.add(contender.ids());
				}
				contender.line().wakeAll();
				if (!contender.line().isAsking()) {
					// Whoever asks gives up what the answer brings.
					contender.restart(now());
				}
			}
		}
		return standing;
	}

	private void abandon(LocalLock lock, Grant grant) {
		if (grant.unconfirmed) {
			// Its owner has not seen it.
			grant.release();
		}
		else if (grant.loss() == null) {
			tell(lock, grant, Cause.CLOSED, now());
		}
	}

	private boolean releaseQuietly(String key, List<String> ids) {
		try {
			this.server.release(key, ids);
			return true;
		}
		catch (LockServerException ex) {
			return ex.reason() == LockServerException.Reason.REFUSED;
		}
	}

}
