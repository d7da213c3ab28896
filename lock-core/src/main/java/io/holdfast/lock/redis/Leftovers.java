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

import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.PendingReleaseQueue;
import io.holdfast.lock.internal.server.Topology;
import org.jspecify.annotations.Nullable;

/**
 * Requests whose caller is gone while the server did not say what became of them. Each is
 * released until the server has answered once, and once more after the time in which a
 * delayed request could still take effect; so a lock that nobody here knows of any more
 * costs others no more than that. A server that does not answer is asked for two minutes,
 * and for as long as a hold lasts that was one for certain: those do not get more while
 * the server is away. Whatever is missed ends with its lease.
 */
final class Leftovers implements PendingReleaseQueue {

	private static final long VALIDITY_NANOS = TimeUnit.MILLISECONDS.toNanos(LockServer.REQUEST_VALIDITY_MILLIS + 500);

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private static final long GIVE_UP_NANOS = TimeUnit.MINUTES.toNanos(2);

	private final Queue<Leftover> queue = new ConcurrentLinkedQueue<>();

	private final LongSupplier nanoTime;

	private volatile Runnable alarm = () -> {
	};

	Leftovers(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/**
	 * Sets whom to wake when there is something to release.
	 */
	void onAdd(Runnable alarm) {
		this.alarm = alarm;
	}

	void add(String key, String id) {
		add(null, key, List.of(id), this.nanoTime.getAsLong());
	}

	@Override
	public void add(LockServer server, String key, String id) {
		add(server, key, List.of(id), this.nanoTime.getAsLong());
	}

	/**
	 * Adds a request that held the lock, and those whose owners had its hold since.
	 * @param heldUntilNanos when the hold ends
	 */
	void add(String key, List<String> ids, long heldUntilNanos) {
		add(null, key, ids, heldUntilNanos);
	}

	private void add(@Nullable LockServer server, String key, List<String> ids, long heldUntilNanos) {
		long now = this.nanoTime.getAsLong();
		long giveUp = now + Math.max(heldUntilNanos - now, GIVE_UP_NANOS);
		this.queue.add(new Leftover(server, key, ids, now, now, giveUp));
		this.alarm.run();
	}

	/**
	 * The servers of a cluster that have something to release.
	 */
	Set<String> nodes(Topology topology) {
		return this.queue.stream().map((leftover) -> topology.nodeOf(leftover.key())).collect(Collectors.toSet());
	}

	/**
	 * Releases what is due.
	 * @param all where to release what was not sent to one server only
	 */
	void release(LockServer all) {
		nodes(all.topology()).forEach((node) -> release(all, node));
	}

	/**
	 * Releases what is due on one server of a cluster. What a server does not answer has
	 * to wait, with all the rest for it.
	 */
	void release(LockServer all, String node) {
		Set<LockServer> silent = new HashSet<>();
		for (Iterator<Leftover> each = this.queue.iterator(); each.hasNext();) {
			Leftover leftover = each.next();
			long now = this.nanoTime.getAsLong();
			if (now - leftover.dueNanos() < 0 || !all.topology().nodeOf(leftover.key()).equals(node)) {
				continue;
			}
			each.remove();
			LockServer server = (leftover.server() != null) ? leftover.server() : all;
			boolean reachable = !silent.contains(server) && release(server, leftover);
			if (!reachable) {
				silent.add(server);
			}
			if (!reachable && now - leftover.giveUpNanos() < 0) {
				this.queue.add(leftover.dueAt(now + RETRY_NANOS));
			}
			else if (reachable && now - leftover.sinceNanos() < VALIDITY_NANOS) {
				this.queue.add(leftover.dueAt(leftover.sinceNanos() + VALIDITY_NANOS));
			}
		}
	}

	private static boolean release(LockServer server, Leftover leftover) {
		try {
			server.release(leftover.key(), leftover.ids());
			return true;
		}
		catch (LockServerException ex) {
			return ex.reason() == Reason.REFUSED;
		}
	}

	private record Leftover(@Nullable LockServer server, String key, List<String> ids, long sinceNanos, long dueNanos,
			long giveUpNanos) {

		Leftover dueAt(long nanos) {
			return new Leftover(this.server, this.key, this.ids, this.sinceNanos, nanos, this.giveUpNanos);
		}

	}

}
