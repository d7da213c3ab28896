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
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Requests whose caller is gone while the server did not say what became of them. Each is
 * released until the server has answered once, and once more after the time in which a
 * delayed request could still take effect; so a lock that nobody here knows of any more
 * costs others no more than that. Whatever is missed ends with its lease.
 */
final class Leftovers {

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
		add(null, key, id);
	}

	/**
	 * Adds a request to one server only.
	 */
	void add(@Nullable LockServer server, String key, String id) {
		long now = this.nanoTime.getAsLong();
		this.queue.add(new Leftover(server, key, id, now, now));
		this.alarm.run();
	}

	boolean isEmpty() {
		return this.queue.isEmpty();
	}

	/**
	 * Releases what is due.
	 * @param all where to release what was not sent to one server only
	 */
	void release(LockServer all) {
		Set<LockServer> silent = new HashSet<>();
		for (int left = this.queue.size(); left > 0; left--) {
			Leftover leftover = this.queue.poll();
			if (leftover == null) {
				return;
			}
			long now = this.nanoTime.getAsLong();
			if (now - leftover.dueNanos() < 0) {
				this.queue.add(leftover);
				continue;
			}
			LockServer server = (leftover.server() != null) ? leftover.server() : all;
			boolean reachable = !silent.contains(server) && release(server, leftover);
			if (!reachable) {
				silent.add(server);
			}
			if (!reachable && now - leftover.sinceNanos() < GIVE_UP_NANOS) {
				this.queue.add(leftover.dueAt(now + RETRY_NANOS));
			}
			else if (reachable && now - leftover.sinceNanos() < VALIDITY_NANOS) {
				this.queue.add(leftover.dueAt(leftover.sinceNanos() + VALIDITY_NANOS));
			}
		}
	}

	private static boolean release(LockServer server, Leftover leftover) {
		try {
			server.release(leftover.key(), leftover.id());
			return true;
		}
		catch (LockServerException ex) {
			return ex.reason() == Reason.REFUSED;
		}
	}

	private record Leftover(@Nullable LockServer server, String key, String id, long sinceNanos, long dueNanos) {

		Leftover dueAt(long nanos) {
			return new Leftover(this.server, this.key, this.id, this.sinceNanos, nanos);
		}

	}

}
