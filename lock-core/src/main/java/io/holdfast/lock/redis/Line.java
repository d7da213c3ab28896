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

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * The local waiters behind one request. The first of them speaks for it: as long as the
 * line is not empty, either a question is on its way, or the first one is awake, or it
 * sleeps until the next question is due. Guarded by the {@link LocalLock}.
 */
final class Line {

	private final Deque<Waiter> waiters = new ArrayDeque<>(2);

	private boolean asking;

	private long askAtNanos;

	Line(long askAtNanos) {
		this.askAtNanos = askAtNanos;
	}

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	int size() {
		return this.waiters.size();
	}

	@Nullable Waiter first() {
		return this.waiters.peekFirst();
	}

	void join(Waiter waiter) {
		this.waiters.addLast(waiter);
	}

	void rejoin(Waiter waiter) {
		this.waiters.addFirst(waiter);
	}

	void leave(Waiter waiter) {
		this.waiters.remove(waiter);
		wakeFirst();
	}

	Waiter takeFirst() {
		return this.waiters.removeFirst();
	}

	void wakeFirst() {
		Waiter first = this.waiters.peekFirst();
		if (first != null) {
			LockSupport.unpark(first.thread);
		}
	}

	void wakeAll() {
		this.waiters.forEach((waiter) -> LockSupport.unpark(waiter.thread));
	}

	boolean isAsking() {
		return this.asking;
	}

	private boolean speaks(Waiter waiter) {
		return !this.asking && this.waiters.peekFirst() == waiter;
	}

	/**
	 * Whether it is on this waiter to ask the server now.
	 */
	boolean isTurnOf(Waiter waiter, long nowNanos) {
		return speaks(waiter) && nowNanos - this.askAtNanos >= 0;
	}

	/**
	 * How long this waiter may sleep before it has to ask.
	 */
	long sleepNanos(Waiter waiter, long nowNanos) {
		return speaks(waiter) ? this.askAtNanos - nowNanos : Long.MAX_VALUE;
	}

	void asks() {
		this.asking = true;
	}

	/**
	 * Ends a question. Whoever is first by now may not be the one that asked.
	 */
	void hasAsked() {
		this.asking = false;
		wakeFirst();
	}

	void askAt(long nanos) {
		this.askAtNanos = nanos;
		wakeFirst();
	}

	/**
	 * Changes when to ask. The first waiter, which sleeps until the time known so far,
	 * need not be woken to sleep longer.
	 */
	void moveAskTo(long nanos) {
		boolean earlier = nanos - this.askAtNanos < 0;
		this.askAtNanos = nanos;
		if (earlier) {
			wakeFirst();
		}
	}

}
