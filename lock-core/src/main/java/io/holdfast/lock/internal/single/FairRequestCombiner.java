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

package io.holdfast.lock.internal.single;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends the questions of fair threads. Those that the same lock will keep waiting anyway
 * gather first, so that they stand next to each other in the queue of that lock: their
 * threads can pass it on without asking Redis.
 */
final class FairRequestCombiner {

	/*
	 * Algorithm. An unhurried question waits until another thread asks for the same lock
	 * in a hurry, until this client has released the lock, or for GATHERING, whichever is
	 * first. Then all that wait for the lock are sent in one call, in the order in which
	 * they were made. A release takes none of them along: its thread often asks again at
	 * once, and would then stand apart from the others.
	 *
	 * One thread puts each question on its way: the one that takes it. Its own does at
	 * the latest when GATHERING is over.
	 */

	private static final long GATHERING_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final RequestCombiner requests;

	private final Queue<Gathered> gathering = new ConcurrentLinkedQueue<>();

	private final long gatheringNanos;

	FairRequestCombiner(RequestCombiner requests) {
		this(requests, GATHERING_NANOS);
	}

	FairRequestCombiner(RequestCombiner requests, long gatheringNanos) {
		this.requests = requests;
		this.gatheringNanos = gatheringNanos;
	}

	/**
	 * Sends a question of this thread and waits for its answer.
	 * @param unhurried whether it may wait a moment for others
	 */
	<T> T send(CombinedRequest<T> request, boolean unhurried) {
		Gathered own = new Gathered(request, System.nanoTime() + this.gatheringNanos);
		if (!unhurried) {
			return sendWithOthers(request, own);
		}
		this.gathering.add(own);
		boolean interrupted = own.await();
		try {
			return own.take() ? sendWithOthers(request, own) : this.requests.await(request);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Sends a question together with those that wait for the same lock, as many as one
	 * call has room for, the eldest first.
	 */
	private <T> T sendWithOthers(CombinedRequest<T> request, Gathered own) {
		// Large enough for all: who is taken must be among them.
		List<CombinedRequest<?>> together = new ArrayList<>(RequestCombiner.MAX_REQUESTS);
		for (Iterator<Gathered> each = this.gathering.iterator(); each.hasNext();) {
			Gathered next = each.next();
			boolean fits = next.request.key.equals(request.key) && together.size() < RequestCombiner.MAX_REQUESTS - 1;
			if (next == own || (fits && next.take())) {
				together.add(next.request);
			}
			if (next.isTaken()) {
				each.remove();
			}
		}
		if (!together.contains(request)) {
			together.add(request);
		}
		try {
			return this.requests.send(together, request);
		}
		catch (Error ex) {
			// Those that no call has, perhaps for want of memory, are sent alone.
			together.forEach(CombinedRequest::end);
			throw ex;
		}
	}

	/**
	 * Takes in that this client has released a lock.
	 */
	void released(String key) {
		for (Gathered each : this.gathering) {
			if (each.request.key.equals(key) && !each.isTaken()) {
				each.hurry();
				return;
			}
		}
	}

	/**
	 * A question that waits for others.
	 */
	private static final class Gathered {

		private final CombinedRequest<?> request;

		private final AtomicBoolean taken = new AtomicBoolean();

		/**
		 * When it is sent at the latest.
		 */
		private volatile long endNanos;

		Gathered(CombinedRequest<?> request, long endNanos) {
			this.request = request;
			this.endNanos = endNanos;
		}

		/**
		 * Waits until it is to be sent or was taken.
		 * @return whether its thread was interrupted
		 */
		boolean await() {
			boolean interrupted = false;
			for (long left = left(); left > 0 && !isTaken(); left = left()) {
				LockSupport.parkNanos(this, left);
				interrupted |= Thread.interrupted();
			}
			return interrupted;
		}

		private long left() {
			return this.endNanos - System.nanoTime();
		}

		void hurry() {
			this.endNanos = System.nanoTime();
			LockSupport.unpark(this.request.thread);
		}

		boolean take() {
			return this.taken.compareAndSet(false, true);
		}

		boolean isTaken() {
			return this.taken.get();
		}

	}

}
