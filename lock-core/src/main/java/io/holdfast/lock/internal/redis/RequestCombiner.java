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

package io.holdfast.lock.internal.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.protocol.Reply;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of all threads of a client; those that meet travel together.
 */
final class RequestCombiner {

	// @formatter:off
	/*
	 * Algorithm: flat combining (Hendler, Incze, Shavit and Tzafrir, 2010) with a few combiners.
	 * While MAX_CALLS calls are under way, a further request waits in a queue. Whoever ends a call
	 * wakes the first one there, and that thread sends all that wait, its own among them, in one
	 * call. So one round trip and one run of the script serve many threads. Once several have
	 * met in a call there may be only CROWD_CALLS, so that more meet: fewer and larger calls cost
	 * both sides less. Where few threads ask at a time, each sends its own request.
	 *
	 * Why no request waits indefinitely. It is added to the queue before that thread looks for a free
	 * place for a call, and a place is freed before its thread looks into the queue, so one of the
	 * two sees the other. A call that hangs with its connection does not hold up the rest: after
	 * PATIENCE its place is free for another. The first one in the queue looks for that; whoever
	 * makes another one the first wakes it. Who is part of another thread's call waits for it no
	 * longer than for one of its own: it has no answer then.
	 *
	 * Why one bad request fails no other. If a call is refused, each thread sends its own request
	 * again, alone: the call may have failed in the middle, so a request may run twice. If the
	 * server gave no answer, it gave none to anybody.
	 */
	// @formatter:on

	static final int MAX_CALLS = 4;

	private static final int CROWD_CALLS = 2;

	/**
	 * So few that the server is not busy with one call for long.
	 */
	private static final int MAX_REQUESTS = 32;

	private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	/**
	 * How long those behind the first one sleep at most, if nobody wakes them.
	 */
	private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final Function<List<Pending>, List<Reply>> sender;

	private final long limitNanos;

	/** Who sends the calls under way. */
	private final AtomicReferenceArray<@Nullable Pending> calls;

	private final Queue<Pending> queue = new ConcurrentLinkedQueue<>();

	/**
	 * Whether several requests met in the latest call.
	 */
	private volatile boolean crowded;

	/**
	 * Create the combiner.
	 * @param sender sends requests in one call; its failures are
	 * {@link LockServerException}s
	 * @param limitNanos how long a request waits for a call of another thread
	 */
	RequestCombiner(Function<List<Pending>, List<Reply>> sender, long limitNanos, int maxCalls) {
		this.sender = sender;
		this.limitNanos = limitNanos;
		this.calls = new AtomicReferenceArray<>(maxCalls);
	}

	/**
	 * Sends a request of this thread and completes it.
	 */
	void send(Pending request) {
		this.queue.add(request);
		boolean interrupted = false;
		try {
			while (!request.isDone() && !request.alone) {
				interrupted |= Thread.interrupted();
				long underWay = request.underWayNanos;
				if (underWay != 0 && System.nanoTime() - underWay >= this.limitNanos) {
					request.fail(RedisErrors.failure("", Reason.TIMED_OUT,
							"Redis did not answer: the call of another thread hangs", null));
				}
				else if (underWay != 0 || !begin(request) || !sendWaiting(request)) {
					LockSupport.parkNanos(this, request.equals(this.queue.peek()) ? PATIENCE_NANOS : REST_NANOS);
				}
			}
			if (!request.isDone()) {
				request.send(this.sender);
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Takes a place for a call of this thread.
	 * @return whether there is one
	 */
	private boolean begin(Pending mine) {
		long now = System.nanoTime();
		mine.callNanos = now;
		int places = this.crowded ? Math.min(CROWD_CALLS, this.calls.length()) : this.calls.length();
		for (int place = 0; place < places; place++) {
			Pending other = this.calls.get(place);
			boolean free = other == null || now - other.callNanos >= PATIENCE_NANOS;
			if (free && this.calls.compareAndSet(place, other, mine)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Sends all that wait in a call that has begun, and ends it.
	 * @return whether there were any
	 */
	private boolean sendWaiting(Pending mine) {
		// Large enough for all: who is taken out of the queue must be among them.
		List<Pending> together = new ArrayList<>(MAX_REQUESTS);
		Pending next = this.queue.poll();
		while (next != null) {
			next.underWayNanos = mine.callNanos;
			together.add(next);
			next = (together.size() < MAX_REQUESTS) ? this.queue.poll() : null;
		}
		if (together.size() == MAX_REQUESTS) {
			wakeFirst();
		}
		this.crowded = together.size() > 1;
		try {
			LockServerException failure = together.isEmpty() ? null : Pending.send(together, this.sender);
			if (failure != null && (failure.reason() != Reason.REFUSED || together.size() == 1)) {
				together.forEach((each) -> each.fail(failure));
			}
			return !together.isEmpty();
		}
		finally {
			for (int place = 0; place < this.calls.length(); place++) {
				this.calls.compareAndSet(place, mine, null);
			}
			wakeFirst();
			together.forEach(Pending::end);
		}
	}

	private void wakeFirst() {
		Pending first = this.queue.peek();
		if (first != null) {
			first.wake();
		}
	}

}
