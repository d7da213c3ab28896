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
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * A few threads for the calls to each server of a cluster, so that those which hang with
 * one server hold up no call to another. Threads without work end.
 */
final class NodeExecutors {

	private final CustomizableThreadFactory threads;

	private final int size;

	private final ConcurrentMap<String, ThreadPoolExecutor> executors = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/**
	 * Create the executors.
	 * @param size how many threads there are at most for each server
	 */
	NodeExecutors(String threadNames, int size) {
		this.threads = new CustomizableThreadFactory(threadNames);
		this.threads.setDaemon(true);
		this.size = size;
	}

	/**
	 * Runs a task, unless this is closed. Throws whatever keeps a thread from starting.
	 * @param node the server that it calls
	 */
	void execute(String node, Runnable task) {
		ThreadPoolExecutor executor = this.executors.computeIfAbsent(node, (unused) -> open());
		executor.execute(task);
		if (this.closed) {
			executor.shutdown();
		}
	}

	private ThreadPoolExecutor open() {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(this.size, this.size, 10, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), this.threads, new ThreadPoolExecutor.DiscardPolicy());
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	/**
	 * Lets the tasks end that are there, and takes no more.
	 */
	void close() {
		this.closed = true;
		this.executors.values().forEach(ThreadPoolExecutor::shutdown);
	}

}
