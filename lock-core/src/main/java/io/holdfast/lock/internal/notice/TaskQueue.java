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

package io.holdfast.lock.internal.notice;

import org.jspecify.annotations.Nullable;

/**
 * Runs tasks in order on a few daemon threads, which end when there has been nothing to
 * do for a while. Thread-safe.
 */
public final class TaskQueue {

	/*
	 * Why nothing is stuck if the stack of a caller is used up in here. The queues of the
	 * JDK's executors have locks that are left held then, once in a while; a monitor is
	 * not. All that may be thrown comes before the three assignments that queue a task,
	 * which call nothing, so a task is queued if and only if nothing is thrown. A
	 * notify() without a task is a wake-up for nothing. The same holds if memory or
	 * threads are used up.
	 *
	 * A new thread starts inside of the monitor. Others who have a task wait for that.
	 */

	/** How many notices may wait, with the one that is being told. */
	static final int MOST_NOTICES = 10_000;

	private final String threadName;

	private final int most;

	private final long idleMillis;

	/**
	 * The task before the first one, and the last one. Guarded by this, as the others.
	 */
	private Node head = new Node(null);

	private Node tail = this.head;

	private int waiting;

	private int threads;

	private int idle;

	private boolean closed;

	/**
	 * Create the queue.
	 * @param most how many threads there are at most
	 * @param idleMillis for how long a thread waits for a task before it ends; zero if
	 * only the end of the queue ends it
	 */
	public TaskQueue(String threadName, int most, long idleMillis) {
		this.threadName = threadName;
		this.most = most;
		this.idleMillis = idleMillis;
	}

	/**
	 * Runs a task later, if there is room. Throws what keeps a thread from starting if
	 * there is none; then the task is not run.
	 * @param room how many tasks there may be, with those that run
	 * @return whether it will be run: not if it has no room, or this is closed
	 */
	public boolean offer(Runnable task, int room) {
		Node node = new Node(task);
		synchronized (this) {
			if (this.closed || unfinished() >= room) {
				return false;
			}
			if (this.waiting < this.idle) {
				notify();
			}
			else if (this.threads < this.most) {
				start();
			}
			this.tail.next = node;
			this.tail = node;
			this.waiting++;
			return true;
		}
	}

	/**
	 * Has a notice told later, if there is room. Whoever gives it may be in a monitor,
	 * and waits for none. It is dropped if this is closed.
	 * @param minor whether it leaves half of the room to others
	 * @return whether there is room
	 */
	synchronized boolean tell(boolean minor, Runnable notice) {
		return offer(notice, minor ? MOST_NOTICES / 2 : MOST_NOTICES) || this.closed;
	}

	/**
	 * Starts a thread, so that a task need not. Does nothing if that fails and there is
	 * another one.
	 */
	public synchronized void start() {
		this.threads++;
		try {
			Thread thread = new Thread(this::run, (this.most > 1) ? this.threadName + this.threads : this.threadName);
			thread.setDaemon(true);
			thread.start();
		}
		catch (Throwable ex) {
			this.threads--;
			if (this.threads == 0) {
				throw ex;
			}
		}
	}

	private void run() {
		for (Runnable task = next(); task != null; task = next()) {
			try {
				task.run();
			}
			catch (Throwable ex) {
				// Tasks handle their failures; one that does not must not end the others.
			}
			boolean unused = Thread.interrupted();
		}
	}

	private synchronized @Nullable Runnable next() {
		long since = System.nanoTime();
		this.idle++;
		while (this.head.next == null) {
			long left = this.idleMillis - (System.nanoTime() - since) / 1_000_000;
			if (this.closed || (this.idleMillis > 0 && left <= 0)) {
				this.idle--;
				this.threads--;
				return null;
			}
			try {
				wait((this.idleMillis > 0) ? left : 0);
			}
			catch (InterruptedException ex) {
				// Only the end of the queue ends it.
			}
		}
		this.idle--;
		this.waiting--;
		this.head = this.head.next;
		Runnable task = this.head.task;
		this.head.task = null;
		return task;
	}

	/**
	 * How many tasks wait or run, with threads that begin.
	 */
	public synchronized int unfinished() {
		return this.waiting + this.threads - this.idle;
	}

	/**
	 * Has what there is run, takes no more, and ends the threads then.
	 */
	public synchronized void close() {
		this.closed = true;
		notifyAll();
	}

	private static final class Node {

		private @Nullable Runnable task;

		private @Nullable Node next;

		private Node(@Nullable Runnable task) {
			this.task = task;
		}

	}

}
