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

package io.holdfast.lock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Threads of a test. Every one is joined, and a failure in one of them fails the test.
 */
public final class Crew implements AutoCloseable {

	private final List<Member> members = new ArrayList<>();

	private final ThreadFactory factory;

	public Crew() {
		this(Thread::new);
	}

	/**
	 * Creates a crew of threads of some kind.
	 */
	public Crew(ThreadFactory factory) {
		this.factory = factory;
	}

	/**
	 * Starts a thread.
	 */
	public Member start(String name, Work work) {
		FutureTask<Void> task = new FutureTask<>(() -> {
			work.run();
			return null;
		});
		Thread thread = this.factory.newThread(task);
		thread.setName(name);
		thread.setDaemon(true);
		Member member = new Member(thread, task);
		this.members.add(member);
		thread.start();
		return member;
	}

	/**
	 * Starts some threads that do the same.
	 */
	public void start(String name, int count, Work work) {
		for (int i = 0; i < count; i++) {
			start(name + "-" + i, work);
		}
	}

	/**
	 * Joins all threads and throws what the first of them threw.
	 */
	public void join(Duration limit) throws Exception {
		long end = System.nanoTime() + limit.toNanos();
		for (Member member : this.members) {
			member.join(Duration.ofNanos(Math.max(end - System.nanoTime(), 1)));
		}
	}

	/**
	 * Interrupts what still runs, because a test has failed before it joined.
	 */
	@Override
	public void close() throws InterruptedException {
		for (Member member : this.members) {
			member.thread().interrupt();
		}
		for (Member member : this.members) {
			member.thread().join(TimeUnit.SECONDS.toMillis(10));
		}
	}

	/**
	 * What a thread does.
	 */
	@FunctionalInterface
	public interface Work {

		void run() throws Exception;

	}

	/**
	 * One of the threads.
	 */
	public record Member(Thread thread, FutureTask<Void> task) {

		/**
		 * Joins the thread and throws what it threw.
		 */
		public void join(Duration limit) throws Exception {
			try {
				this.task.get(limit.toNanos(), TimeUnit.NANOSECONDS);
				this.thread.join(TimeUnit.SECONDS.toMillis(10));
			}
			catch (TimeoutException ex) {
				AssertionError stuck = new AssertionError("Thread " + this.thread.getName() + " is stuck");
				stuck.setStackTrace(this.thread.getStackTrace());
				throw stuck;
			}
			catch (ExecutionException ex) {
				throw new AssertionError("Thread " + this.thread.getName() + " failed: " + ex.getCause(),
						ex.getCause());
			}
		}

	}

}
