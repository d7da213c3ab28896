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

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;

import io.holdfast.lock.internal.notice.TaskQueue;

import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * A few threads for the calls to each server of a cluster, so that those which hang with
 * one server hold up no call to another. Threads without work end.
 */
final class NodeExecutors {

	private static final int VIRTUAL_THREADS = 21;

	private static final int MOST_FOR_FUTURES = 8;

	private static final long IDLE_MILLIS = 10_000;

	private final String threadNames;

	private final int size;

	private final ConcurrentMap<String, TaskQueue> queues = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/**
	 * Create the executors.
	 * @param size how many threads there are at most for each server
	 */
	NodeExecutors(String threadNames, int size) {
		this.threadNames = threadNames;
		this.size = size;
	}

	/**
	 * Runs what futures need, so that their callers need not wait: on virtual threads
	 * where there are some, else on a few.
	 */
	static Executor forFutures(String threadNames) {
		if (Runtime.version().feature() >= VIRTUAL_THREADS) {
			return new VirtualThreadTaskExecutor(threadNames);
		}
		NodeExecutors threads = new NodeExecutors(threadNames, MOST_FOR_FUTURES);
		return (task) -> threads.execute("", task);
	}

	/**
	 * Runs a task, unless this is closed. Throws whatever keeps a thread from starting.
	 * @param node the server that it calls
	 */
	void execute(String node, Runnable task) {
		TaskQueue queue = this.queues.computeIfAbsent(node,
				(added) -> new TaskQueue(this.threadNames, this.size, IDLE_MILLIS));
		boolean unused = queue.offer(task, Integer.MAX_VALUE);
		if (this.closed) {
			queue.close();
		}
	}

	/**
	 * Lets the tasks end that are there, and takes no more.
	 */
	void close() {
		this.closed = true;
		this.queues.values().forEach(TaskQueue::close);
	}

}
