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

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.PendingReleaseQueue;
import org.jspecify.annotations.Nullable;

/**
 * Requests whose caller is gone while the server did not say what became of them. Each is
 * released until the server has answered once, and once more after the time in which a
 * delayed request could still take effect; so a lock that nobody here knows of any more
 * costs others no more than that. A release is retried for two minutes, and at least
 * until a hold that is known to have existed has expired; an outage makes no more of
 * those. Whatever is missed ends with its lease.
 * <p>
 * There is a lane for each server and each node of a cluster. A lane whose server is
 * silent rests as a whole, and keeps a bounded number of requests, the latest ones. So
 * does one whose server refuses a release, which then waits behind the others, twice as
 * long each time. Does no I/O; thread-safe.
 */
public final class PendingReleases implements PendingReleaseQueue {

	private static final long VALIDITY_NANOS = Time.nanos(LockServer.REQUEST_VALIDITY_MILLIS + 500);

	private static final long RETRY_NANOS = Time.nanos(500);

	private static final long LONGEST_RETRY_NANOS = Time.nanos(30_000);

	private static final long GIVE_UP_NANOS = Time.nanos(120_000);

	private static final int MAX_PENDING = 10_000;

	private final Map<Lane.Id, Lane> lanes = new HashMap<>();

	private final LongSupplier nanoTime;

	private final Function<String, String> nodeOf;

	private volatile Runnable alarm = () -> {
	};

	/**
	 * Create the queue.
	 * @param nodeOf which node of a cluster has a key
	 */
	public PendingReleases(LongSupplier nanoTime, Function<String, String> nodeOf) {
		this.nanoTime = nanoTime;
		this.nodeOf = nodeOf;
	}

	/**
	 * Sets whom to wake when there is something to release; returns at once and throws
	 * nothing.
	 */
	public void onAdd(Runnable wakeUp) {
		this.alarm = wakeUp;
	}

	@Override
	public void add(LockServer server, String key, String id) {
		add(server, key, id, this.nanoTime.getAsLong());
	}

	/**
	 * Adds a request that may have held the lock.
	 * @param heldUntilNanos when the hold ends
	 */
	void add(String key, String id, long heldUntilNanos) {
		add(null, key, id, heldUntilNanos);
	}

	private void add(@Nullable LockServer server, String key, String id, long heldUntilNanos) {
		long now = this.nanoTime.getAsLong();
		long giveUp = now + Math.max(heldUntilNanos - now, GIVE_UP_NANOS);
		Pending added = new Pending(server, key, id, now, giveUp, now);
		boolean wake;
		synchronized (this) {
			Lane lane = this.lanes.computeIfAbsent(new Lane.Id(server, this.nodeOf.apply(key)), Lane::new);
			wake = lane.isIdle(now);
			lane.add(added);
		}
		if (wake) {
			this.alarm.run();
		}
	}

	/**
	 * Takes the lanes in which something is due. Each has to be given back with
	 * {@link #rest}.
	 */
	public synchronized List<Lane> takeDue(long nowNanos) {
		List<Lane> due = new ArrayList<>();
		for (Lane lane : this.lanes.values()) {
			if (!lane.taken && Time.isReached(lane.dueNanos(nowNanos), nowNanos)) {
				lane.taken = true;
				due.add(lane);
			}
		}
		return due;
	}

	/**
	 * Takes all lanes that have something, whether it is due or not: the client is being
	 * closed.
	 */
	public synchronized List<Lane> takeAll() {
		List<Lane> all = new ArrayList<>(this.lanes.values());
		all.forEach((each) -> each.taken = true);
		return all;
	}

	/**
	 * The next one of a lane to release, or {@code null}.
	 */
	public synchronized @Nullable Pending next(Lane lane) {
		return lane.poll(this.nanoTime.getAsLong());
	}

	/**
	 * Takes in that the server has answered.
	 */
	public synchronized void answered(Lane lane, Pending pending) {
		if (this.nanoTime.getAsLong() - pending.sinceNanos() < VALIDITY_NANOS) {
			lane.later.add(pending.dueAt(pending.sinceNanos() + VALIDITY_NANOS));
		}
	}

	/**
	 * Takes in that the server is silent. The lane rests.
	 */
	public synchronized void unanswered(Lane lane, Pending pending) {
		long now = this.nanoTime.getAsLong();
		lane.restsUntilNanos = now + RETRY_NANOS;
		lane.rests = true;
		if (!Time.isReached(pending.giveUpNanos(), now)) {
			lane.now.addFirst(pending);
		}
	}

	/**
	 * Takes in that the server refused a release, perhaps because of this lock alone. The
	 * lane rests, and the release is due more rarely each time.
	 */
	public synchronized void refused(Lane lane, Pending pending) {
		long now = this.nanoTime.getAsLong();
		lane.restsUntilNanos = now + RETRY_NANOS;
		lane.rests = true;
		if (!Time.isReached(pending.giveUpNanos(), now)) {
			long age = Math.max(now - pending.sinceNanos(), RETRY_NANOS);
			lane.later.add(pending.dueAt(now + Math.min(age, LONGEST_RETRY_NANOS)));
		}
	}

	/**
	 * Gives a lane back.
	 */
	public synchronized void rest(Lane lane) {
		lane.taken = false;
		if (lane.now.isEmpty() && lane.later.isEmpty()) {
			this.lanes.remove(lane.id);
		}
	}

	/**
	 * When the next release is due, at the latest at a given moment.
	 */
	public synchronized long nextNanos(long latestNanos) {
		long next = latestNanos;
		for (Lane lane : this.lanes.values()) {
			if (!lane.taken) {
				next = Time.earlier(next, lane.dueNanos(latestNanos));
			}
		}
		return next;
	}

	/**
	 * How many requests are pending.
	 */
	public synchronized int size() {
		return this.lanes.values().stream().mapToInt((lane) -> lane.now.size() + lane.later.size()).sum();
	}

	/**
	 * What is pending on one server, the oldest first. Guarded by the queue.
	 */
	public static final class Lane {

		private final Id id;

		private final Deque<Pending> now = new ArrayDeque<>();

		/**
		 * Those that the server has answered once, or refused, by when they are due.
		 */
		private final PriorityQueue<Pending> later = new PriorityQueue<>(
				(one, other) -> Long.signum(one.dueNanos() - other.dueNanos()));

		private boolean rests;

		private long restsUntilNanos;

		private boolean taken;

		Lane(Id id) {
			this.id = id;
		}

		/**
		 * Names the server, or the node of a cluster, for which it is.
		 */
		public String target() {
			return this.id.toString();
		}

		private boolean isIdle(long nowNanos) {
			return !this.taken && this.now.isEmpty()
					&& !(this.rests && !Time.isReached(this.restsUntilNanos, nowNanos));
		}

		private void add(Pending added) {
			this.now.addLast(added);
			if (this.now.size() + this.later.size() > MAX_PENDING) {
				(this.later.isEmpty() ? this.now : this.later).remove();
			}
		}

		private @Nullable Pending poll(long nowNanos) {
			if (this.rests && !Time.isReached(this.restsUntilNanos, nowNanos)) {
				return null;
			}
			this.rests = false;
			if (!this.now.isEmpty()) {
				return this.now.pollFirst();
			}
			Pending first = this.later.peek();
			return (first != null && Time.isReached(first.dueNanos(), nowNanos)) ? this.later.poll() : null;
		}

		private long dueNanos(long latestNanos) {
			long due = latestNanos + HORIZON_NANOS;
			if (!this.now.isEmpty()) {
				due = this.now.getFirst().sinceNanos();
			}
			else if (!this.later.isEmpty()) {
				due = this.later.element().dueNanos();
			}
			return (this.rests && due - this.restsUntilNanos < 0) ? this.restsUntilNanos : due;
		}

		private static final long HORIZON_NANOS = Schedule.HORIZON_NANOS;

		private record Id(@Nullable LockServer server, String node) {
		}

	}

	/**
	 * A request to release.
	 *
	 * @param server where, or {@code null} for the server of the client
	 * @param key the lock
	 * @param id the request
	 * @param sinceNanos since when it is pending
	 * @param giveUpNanos when a silent server is given up
	 * @param dueNanos when it is sent
	 */
	public record Pending(@Nullable LockServer server, String key, String id, long sinceNanos, long giveUpNanos,
			long dueNanos) {

		private Pending dueAt(long nanos) {
			return new Pending(this.server, this.key, this.id, this.sinceNanos, this.giveUpNanos, nanos);
		}

	}

}
