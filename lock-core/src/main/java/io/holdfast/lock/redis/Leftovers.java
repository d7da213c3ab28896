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

import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;

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
		long now = this.nanoTime.getAsLong();
		this.queue.add(new Leftover(key, id, now, now));
		this.alarm.run();
	}

	/**
	 * The servers that have something to release.
	 */
	Set<String> nodes(Nodes nodes) {
		return this.queue.stream().map((leftover) -> nodes.of(leftover.key())).collect(Collectors.toSet());
	}

	/**
	 * Releases what is due.
	 */
	void release(LockServer server) {
		nodes(server.nodes()).forEach((node) -> release(server, node));
	}

	/**
	 * Releases what is due on one server. If that does not answer, the rest has to wait.
	 */
	void release(LockServer server, String node) {
		boolean reachable = true;
		for (Leftover leftover : List.copyOf(this.queue)) {
			long now = this.nanoTime.getAsLong();
			if (now - leftover.dueNanos() < 0 || !server.nodes().of(leftover.key()).equals(node)
					|| !this.queue.remove(leftover)) {
				continue;
			}
			reachable = reachable && release(server, leftover);
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

	private record Leftover(String key, String id, long sinceNanos, long dueNanos) {

		Leftover dueAt(long nanos) {
			return new Leftover(this.key, this.id, this.sinceNanos, nanos);
		}

	}

}
