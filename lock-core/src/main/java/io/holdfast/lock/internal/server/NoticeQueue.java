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

package io.holdfast.lock.internal.server;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs notices one after another on a thread of its own, so that whoever gives one waits
 * neither for those who are told nor for the start of a thread. Thread-safe.
 */
public final class NoticeQueue {

	/*
	 * Why each notice is told once, or counted as dropped. Who adds one takes room, and
	 * gives the thread a permit afterwards; the thread takes a permit before it takes a
	 * notice, and returns the room when the notice is told. So there are never more
	 * permits than notices, but for the one that ends the thread, which finds the queue
	 * empty. Whatever a notice throws, the thread goes on. Threads that add at the same
	 * time may exceed the room by one each.
	 *
	 * What is lost: a notice that finds no room, and one that comes when the thread has
	 * ended.
	 */

	private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();

	private final Semaphore told = new Semaphore(0);

	/** How many wait or are being told. */
	private final AtomicInteger size = new AtomicInteger();

	private final AtomicInteger dropped = new AtomicInteger();

	private final int most;

	private final Thread thread;

	private volatile boolean closed;

	/**
	 * Create the queue.
	 * @param most how many notices may wait
	 */
	public NoticeQueue(String threadName, int most) {
		this.most = most;
		this.thread = new Thread(this::run, threadName);
		this.thread.setDaemon(true);
	}

	/**
	 * Starts its thread.
	 */
	public void start() {
		this.thread.start();
	}

	private void run() {
		while (!this.closed || !this.queue.isEmpty()) {
			this.told.acquireUninterruptibly();
			Runnable notice = this.queue.poll();
			if (notice != null) {
				// What one of those who are told has left does not reach the others.
				Thread.interrupted();
				tell(notice);
			}
		}
	}

	private void tell(Runnable notice) {
		try {
			notice.run();
		}
		catch (Throwable ex) {
			// Those who are told keep their failures to themselves; the others matter
			// more than what is left of them.
		}
		finally {
			this.size.decrementAndGet();
		}
	}

	/**
	 * Has a notice told later, if there is room. May be called in a monitor.
	 * @return whether there is
	 */
	public boolean add(Runnable notice) {
		if (this.size.get() >= this.most) {
			this.dropped.incrementAndGet();
			return false;
		}
		this.queue.add(notice);
		this.size.incrementAndGet();
		this.told.release();
		return true;
	}

	/**
	 * The same for a notice that leaves half of the room to others.
	 */
	public boolean addMinor(Runnable notice) {
		if (this.size.get() < this.most / 2) {
			return add(notice);
		}
		this.dropped.incrementAndGet();
		return false;
	}

	/**
	 * How many were dropped. They are not counted again.
	 */
	public int takeDropped() {
		return this.dropped.getAndSet(0);
	}

	/**
	 * Whether all that came was told.
	 */
	public boolean isDone() {
		return this.size.get() == 0;
	}

	/**
	 * Goes on with what there is, and ends the thread then.
	 */
	public void close() {
		this.closed = true;
		this.told.release();
	}

}
