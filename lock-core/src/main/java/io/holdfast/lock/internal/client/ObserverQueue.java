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

import io.holdfast.lock.internal.server.ErrorLog;
import io.holdfast.lock.internal.server.LimitedLog;
import org.apache.commons.logging.LogFactory;

/**
 * Tells observers, and the log, of what no caller does, on a thread of its own: so one
 * that is slow delays neither renewals, nor the watchdog, nor the listeners of the next
 * loss. Each notice is told after those that came before it. The thread ends when there
 * is nothing to tell for a while. Thread-safe.
 */
final class ObserverQueue implements Executor {

	/*
	 * Why there is one thread at a time, and no notice stays behind. Who puts the mark
	 * "scheduled" starts the thread, and only the thread takes the mark away. After that
	 * it looks once more: a notice that came just before found the mark, and counts on
	 * this thread.
	 *
	 * What is lost. A notice that finds 10,000 others, or no memory for itself: it is an
	 * observer's, never a listener's, which the LossNotifier tells. So are those that are
	 * left a while after the client is closed. One that finds no thread waits for the
	 * next one, or for the next look of the watchdog.
	 */

	static final int MOST = 10_000;

	private static final ErrorLog errors = new ErrorLog(ObserverQueue.class);

	private final LimitedLog dropped = new LimitedLog(LogFactory.getLog(ObserverQueue.class));

	private final NodeExecutors executor = new NodeExecutors("holdfast-observer-", 1);

	private final Queue<Runnable> queue = new LinkedBlockingQueue<>(MOST);

	/**
	 * Whether a thread will look into the queue, or is about to leave it.
	 */
	private final AtomicBoolean scheduled = new AtomicBoolean();

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
			this.dropped.warn("A LockObserver is too slow: it is not told of a loss, a deadlock or a renewal that "
					+ "failed, as " + MOST + " such notices wait for it. Have it do its work on a thread of its own");
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
				errors.warn("Observers are told later", ex);
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
