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

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.notice.LimitedLog;
import io.holdfast.lock.internal.protocol.MessageChannel;

/**
 * The end of a client.
 */
final class Shutdown {

	/**
	 * How much longer the end of a client may take than two calls. Most of it is for what
	 * comes after the releases.
	 */
	private static final long EXTRA_NANOS = TimeUnit.SECONDS.toNanos(2);

	/**
	 * How long it waits for observers and the log, which may be slow, or be who closes
	 * the client.
	 */
	private static final long OBSERVERS_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final LimitedLog failures = new LimitedLog(LockRuntime.class);

	private final LockRuntime runtime;

	/** No monitor, as whoever has it waits. */
	private final Lock end = new ReentrantLock();

	private boolean closed;

	Shutdown(LockRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Ends it, once. Others who do so meanwhile wait for the end; an observer that closes
	 * the client as it is closed does not.
	 */
	void close() {
		this.end.lock();
		try {
			if (!this.closed) {
				this.closed = true;
				end();
			}
		}
		catch (Throwable ex) {
			this.closed = false;
			throw ex;
		}
		finally {
			this.end.unlock();
		}
	}

	/**
	 * Releases everything and ends the threads, in a bounded time. What an owner is still
	 * at work with stays until it unlocks.
	 */
	private void end() {
		long end = System.nanoTime() + 2 * this.runtime.server.commandTimeout().toNanos() + EXTRA_NANOS;
		this.runtime.context.close();
		for (LockState each : this.runtime.table.all()) {
			try {
				// All that is to be sent is owed, too.
				this.runtime.performer.perform(this.runtime.performer.on(each, each::close), (send) -> {
				});
			}
			catch (Throwable ex) {
				// Was logged. The others are told all the same.
			}
		}
		this.runtime.context.owed().hurry(this.runtime.now());
		this.runtime.watchdog.wake();
		await(end - EXTRA_NANOS / 4 * 3,
				() -> this.runtime.context.firstLost() == null && this.runtime.context.owed().isQuiet());
		this.runtime.watchdog.stop();
		this.runtime.workers.close();
		int left = this.runtime.context.owed().size();
		if (left > 0) {
			this.failures
				.warn(left + " release(s) were not answered before the client was closed, or may have come before "
						+ "what they release. What is not released ends with its lease");
		}
		this.runtime.channels.forEach(MessageChannel::close);
		this.runtime.server.close();
		this.runtime.observers.stopped(this.runtime.view);
		await(System.nanoTime() + OBSERVERS_NANOS, () -> LimitedLog.isDone() && this.runtime.observers.isDone());
		this.runtime.observers.close();
	}

	private void await(long untilNanos, BooleanSupplier condition) {
		boolean interrupted = false;
		while (!condition.getAsBoolean() && System.nanoTime() - untilNanos < 0) {
			LockSupport.parkNanos(this, LOOK_NANOS);
			interrupted |= Thread.interrupted();
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
