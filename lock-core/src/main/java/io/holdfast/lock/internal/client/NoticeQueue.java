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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.lock.internal.server.ErrorLog;

/**
 * Runs notices one after another on a thread of its own, so that whoever gives one never
 * waits for those who are told. The thread ends when there is nothing to tell for a
 * while. Thread-safe.
 */
final class NoticeQueue implements Executor {

	/*
	 * Why there is one thread at a time, and no notice stays behind. Who puts the mark
	 * "scheduled" starts the thread, and only the thread takes the mark away. After that
	 * it looks once more: a notice that came just before found the mark, and counts on
	 * this thread.
	 *
	 * What is lost. A notice that finds 10,000 others, or no memory for itself, and those
	 * that are left a while after the client is closed. One that finds no thread waits
	 * for the next one, or for the next look of the watchdog.
	 *
	 * Nothing is logged where a notice is given, as that may be in the monitor of a lock:
	 * the dropped ones are counted, for the watchdog to warn of.
	 */

	static final int MOST = 10_000;

	private static final ErrorLog errors = new ErrorLog(NoticeQueue.class);

	private final NodeExecutors executor;

	private final Queue<Runnable> queue = new LinkedBlockingQueue<>(MOST);

	private final AtomicInteger dropped = new AtomicInteger();

	/**
	 * Whether a thread will look into the queue, or is about to leave it.
	 */
	private final AtomicBoolean scheduled = new AtomicBoolean();

	NoticeQueue(String threadNames) {
		this.executor = new NodeExecutors(threadNames, 1);
	}

	/**
	 * Has a notice told later.
	 * @param notice what to do; throws nothing
	 */
	@Override
	public void execute(Runnable notice) {
		if (this.queue.offer(notice)) {
			deliverSoon();
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
		if (!this.queue.isEmpty() && this.scheduled.compareAndSet(false, true)) {
			try {
				this.executor.execute("", this::deliverAll);
			}
			catch (RuntimeException | Error ex) {
				this.scheduled.set(false);
				errors.warn("Notices are told later", ex);
			}
		}
	}

	private void deliverAll() {
		do {
			try {
				for (Runnable notice = this.queue.poll(); notice != null; notice = this.queue.poll()) {
					notice.run();
				}
			}
			finally {
				this.scheduled.set(false);
			}
		}
		while (!this.queue.isEmpty() && this.scheduled.compareAndSet(false, true));
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
		return this.queue.isEmpty() && !this.scheduled.get();
	}

	/**
	 * Goes on with what there is, and starts no thread any more.
	 */
	void close() {
		this.executor.close();
	}

}
