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

package io.holdfast.lock.internal.client;

import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs notices one after another on a thread of its own, so that whoever gives one never
 * waits for those who are told. Thread-safe.
 */
final class NoticeQueue implements Executor {

	/*
	 * What is lost. A notice that finds 10,000 others, or no memory for itself, and those
	 * that are left a while after the client is closed.
	 *
	 * Nothing is logged where a notice is given, as that may be in the monitor of a lock:
	 * the dropped ones are counted, for those who look later to warn of.
	 */

	static final int MOST = 10_000;

	private final Queue<Runnable> queue = new LinkedBlockingQueue<>(MOST);

	private final AtomicInteger dropped = new AtomicInteger();

	private final Delivery delivery;

	NoticeQueue(String threadNames) {
		this.delivery = new Delivery(threadNames, this.queue::isEmpty, this::runAll);
	}

	private void runAll() {
		for (Runnable notice = this.queue.poll(); notice != null; notice = this.queue.poll()) {
			notice.run();
		}
	}

	/**
	 * Has a notice told later.
	 * @param notice what to do; throws nothing
	 */
	@Override
	public void execute(Runnable notice) {
		if (this.queue.offer(notice)) {
			this.delivery.start();
		}
		else {
			this.dropped.incrementAndGet();
		}
	}

	/**
	 * Has a notice told later, unless half of the room is taken: the rest is for those
	 * that matter more.
	 */
	void executeMinor(Runnable notice) {
		if (this.queue.size() < MOST / 2) {
			execute(notice);
		}
		else {
			this.dropped.incrementAndGet();
		}
	}

	/**
	 * Makes sure that a thread delivers what there is.
	 */
	void deliverSoon() {
		this.delivery.start();
	}

	/**
	 * How many were dropped. They are not counted again.
	 */
	int takeDropped() {
		return this.dropped.getAndSet(0);
	}

	/**
	 * Whether all that came was told.
	 */
	boolean isDone() {
		return this.delivery.isDone();
	}

	/**
	 * Goes on with what there is, and starts no thread any more.
	 */
	void close() {
		this.delivery.close();
	}

}
