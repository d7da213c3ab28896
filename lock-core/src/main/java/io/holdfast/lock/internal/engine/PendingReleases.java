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
import io.holdfast.lock.internal.server.Owed;
import io.holdfast.lock.internal.server.PendingReleaseQueue;
import org.jspecify.annotations.Nullable;

/**
 * Requests whose caller is gone while the server did not say what became of them. Each is
 * released until the server has answered once, and once more after the time in which a
 * delayed request could still take effect; so a forgotten grant blocks others only until
 * that second release. A release is retried for two minutes, and at least until a hold
 * that is known to have existed has expired. Requests that were never sent are not added,
 * so an outage does not fill the queue. Whatever is missed ends with its lease.
 * <p>
 * There is a lane for each server and each node of a cluster. A lane whose server is
 * silent rests as a whole, and keeps a bounded number of requests, the latest ones. So
 * does one whose server refuses a release, which then waits behind the others, twice as
 * long each time. Does no I/O; thread-safe.
 * <p>
 * When the client is closed, each that has no answer yet is sent once more, due or not; a
 * lane whose server is silent then, or refuses, is given up.
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

	private boolean closed;

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
			if (!this.closed) {
				lane.drop();
			}
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
	 * The client is being closed. What is known of then may be any number.
	 */
	public synchronized void close() {
		this.closed = true;
		this.lanes.values().forEach(Lane::hurry);
	}

	/**
	 * Takes the lanes that have something to send, whether it is due or not, and are not
	 * given up.
	 */
	public synchronized List<Lane> takeAll() {
		List<Lane> all = this.lanes.values().stream().filter((lane) -> !lane.taken && lane.isHopeful()).toList();
		all.forEach((each) -> each.taken = true);
		return all;
	}

	/**
	 * Whether all that there was to send is answered, or given up.
	 */
	public synchronized boolean isDone() {
		return this.lanes.values().stream().noneMatch((lane) -> lane.taken || lane.isHopeful());
	}

	/**
	 * How many releases have no answer yet.
	 */
	public synchronized int unanswered() {
		return this.lanes.values().stream().mapToInt((lane) -> lane.sent + lane.now.size() + lane.refused.size()).sum();
	}

	/**
	 * The next ones of a lane to release.
	 */
	public synchronized List<Pending> next(Lane lane, int most) {
		List<Pending> next = new ArrayList<>();
		Pending one = lane.poll(this.nanoTime.getAsLong());
		while (one != null) {
			next.add(one);
			one = (next.size() < most) ? lane.poll(this.nanoTime.getAsLong()) : null;
		}
		lane.sent += next.size();
		return next;
	}

	/**
	 * Takes in that the server has answered.
	 */
	public synchronized void answered(Lane lane, Pending pending) {
		lane.sent--;
		if (!this.closed && this.nanoTime.getAsLong() - pending.sinceNanos() < VALIDITY_NANOS) {
			lane.answered.add(pending.dueAt(pending.sinceNanos() + VALIDITY_NANOS));
		}
	}

	/**
	 * Takes in that the server is silent. The lane rests.
	 */
	public synchronized void unanswered(Lane lane, Pending pending) {
		lane.sent--;
		long now = this.nanoTime.getAsLong();
		lane.rest(now);
		if (!Time.isReached(pending.giveUpNanos(), now)) {
			lane.now.addFirst(pending);
		}
	}

	/**
	 * Records that the server refused a release. The pause before the next try doubles
	 * each time.
	 * @param alone whether that is because of this lock alone; else the lane rests
	 */
	public synchronized void refused(Lane lane, Pending pending, boolean alone) {
		lane.sent--;
		long now = this.nanoTime.getAsLong();
		if (!alone) {
			lane.rest(now);
		}
		if (!Time.isReached(pending.giveUpNanos(), now)) {
			long age = Math.max(now - pending.sinceNanos(), RETRY_NANOS);
			lane.refused.add(pending.dueAt(now + Math.min(age, LONGEST_RETRY_NANOS)));
		}
	}

	/**
	 * Gives a lane back.
	 */
	public synchronized void rest(Lane lane) {
		lane.taken = false;
		if (lane.size() == 0) {
			this.lanes.remove(lane.id);
		}
	}

	/**
	 * Gives a lane back of which something was sent. What came, or became due, meanwhile
	 * is told of.
	 */
	public void done(Lane lane) {
		boolean left;
		synchronized (this) {
			rest(lane);
			left = lane.size() > 0;
		}
		if (left) {
			this.alarm.run();
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
		return this.lanes.values().stream().mapToInt(Lane::size).sum();
	}

	/**
	 * What is pending on one server, the oldest first. Guarded by the queue.
	 */
	public static final class Lane {

		private final Id id;

		private final Deque<Pending> now = new ArrayDeque<>();

		/**
		 * Those that the server refused, by when they are due.
		 */
		private final PriorityQueue<Pending> refused = new PriorityQueue<>(Pending::byDue);

		/**
		 * Those that the server has answered once, by when they are due.
		 */
		private final PriorityQueue<Pending> answered = new PriorityQueue<>(Pending::byDue);

		/**
		 * How many of them are being sent.
		 */
		private int sent;

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
		}

		/**
		 * Drops one if there are too many: one that was answered, or else one that was
		 * refused, or else the oldest.
		 */
		private void drop() {
			if (size() > MAX_PENDING) {
				(!this.answered.isEmpty() ? this.answered : !this.refused.isEmpty() ? this.refused : this.now).remove();
			}
		}

		private int size() {
			return this.now.size() + this.refused.size() + this.answered.size();
		}

		private void rest(long nowNanos) {
			this.restsUntilNanos = nowNanos + RETRY_NANOS;
			this.rests = true;
		}

		private void hurry() {
			this.rests = false;
			this.now.addAll(this.refused);
			this.refused.clear();
			this.answered.clear();
		}

		private boolean isHopeful() {
			return !this.rests && !this.now.isEmpty();
		}

		private @Nullable Pending poll(long nowNanos) {
			if (this.rests && !Time.isReached(this.restsUntilNanos, nowNanos)) {
				return null;
			}
			this.rests = false;
			if (!this.now.isEmpty()) {
				return this.now.pollFirst();
			}
			Pending first = later();
			if (first == null || !Time.isReached(first.dueNanos(), nowNanos)) {
				return null;
			}
			return (first.equals(this.refused.peek()) ? this.refused : this.answered).poll();
		}

		private @Nullable Pending later() {
			Pending one = this.refused.peek();
			Pending other = this.answered.peek();
			return (one == null || (other != null && other.dueNanos() - one.dueNanos() < 0)) ? other : one;
		}

		private long dueNanos(long latestNanos) {
			long due = latestNanos + HORIZON_NANOS;
			Pending later = later();
			if (!this.now.isEmpty()) {
				due = this.now.getFirst().sinceNanos();
			}
			else if (later != null) {
				due = later.dueNanos();
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

		/**
		 * What is sent.
		 */
		public Owed owed() {
			return new Owed(this.key, this.id);
		}

		private static int byDue(Pending one, Pending other) {
			return Long.signum(one.dueNanos - other.dueNanos);
		}

		private Pending dueAt(long nanos) {
			return new Pending(this.server, this.key, this.id, this.sinceNanos, this.giveUpNanos, nanos);
		}

	}

}
