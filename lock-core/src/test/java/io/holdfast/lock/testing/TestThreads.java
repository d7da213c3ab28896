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
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

import org.awaitility.Awaitility;

/**
 * The threads that a test starts. Closing joins all of them and throws what any of them
 * threw that the test has not seen.
 */
public final class TestThreads implements AutoCloseable {

	/**
	 * Longer than anything here takes on a loaded machine.
	 */
	public static final Duration LONG = Duration.ofSeconds(30);

	private final List<Running<?>> started = new ArrayList<>();

	public <T> Running<T> start(Callable<T> task) {
		Running<T> running = new Running<>(task);
		this.started.add(running);
		running.thread.start();
		return running;
	}

	public Running<Void> run(Action action) {
		return start(() -> {
			action.run();
			return null;
		});
	}

	/**
	 * Waits for a latch, in a task that must not throw an interrupt.
	 */
	public static void await(CountDownLatch latch) {
		try {
			if (!latch.await(LONG.toSeconds(), TimeUnit.SECONDS)) {
				throw new AssertionError("Nobody has counted down");
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		for (Running<?> each : this.started) {
			if (!each.seen) {
				each.result();
			}
			each.awaitEnd();
		}
	}

	/**
	 * What a thread does.
	 */
	public interface Action {

		void run() throws Exception;

	}

	/**
	 * A thread and what comes of it.
	 *
	 * @param <T> the type of its result
	 */
	public static final class Running<T> {

		private final FutureTask<T> future;

		private final Thread thread;

		private volatile boolean seen;

		private Running(Callable<T> task) {
			this.future = new FutureTask<>(task);
			this.thread = new Thread(this.future, "test-thread");
			this.thread.setDaemon(true);
		}

		public Thread thread() {
			return this.thread;
		}

		public boolean isDone() {
			return this.future.isDone();
		}

		public void interrupt() {
			this.thread.interrupt();
		}

		/**
		 * Waits until the thread sleeps in the line for a lock.
		 */
		public Running<T> awaitParked() {
			Awaitility.await("a waiting thread").atMost(LONG).pollInterval(Duration.ofMillis(2)).until(() -> {
				if (isDone()) {
					result();
					throw new IllegalStateException("The thread has ended and did not wait");
				}
				return isParked();
			});
			return this;
		}

		private boolean isParked() {
			return isOfALock(LockSupport.getBlocker(this.thread));
		}

		/**
		 * Waits for the end.
		 * @return the result; throws what the thread threw
		 */
		public T result() {
			this.seen = true;
			try {
				return this.future.get(LONG.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (ExecutionException ex) {
				throw sneaky(ex.getCause());
			}
			catch (TimeoutException ex) {
				AssertionError error = new AssertionError("The thread does not end");
				error.setStackTrace(this.thread.getStackTrace());
				throw error;
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		/**
		 * Waits for the end, which must be a failure.
		 */
		public Throwable failure() {
			this.seen = true;
			Awaitility.await("the end of a thread").atMost(LONG).pollInterval(Duration.ofMillis(2)).until(this::isDone);
			try {
				T result = this.future.get();
				throw new AssertionError("The thread ended without failure, with " + result);
			}
			catch (ExecutionException ex) {
				return ex.getCause();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		private static boolean isOfALock(Object blocker) {
			return blocker != null && blocker.getClass().getSimpleName().equals("BlockingAcquire");
		}

		private void awaitEnd() {
			try {
				this.thread.join(LONG.toMillis());
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@SuppressWarnings("unchecked")
		private static <E extends Throwable> RuntimeException sneaky(Throwable thrown) throws E {
			throw (E) thrown;
		}

	}

}
