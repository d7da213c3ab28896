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

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockObserver.Failure;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.Verdict;
import io.holdfast.lock.internal.protocol.Reply;
import org.jspecify.annotations.Nullable;

/**
 * One call that wants a lock, from the first attempt to the grant, on the thread of its
 * caller. Not reusable.
 */
final class BlockingAcquire extends Call {

	/*
	 * The caller tells the engine what it wants, does what the engine says, which is to
	 * send its first question, and sleeps until it has an outcome. It looks for that
	 * itself once a second, so a lost wake-up costs a second.
	 *
	 * An interrupt ends a sleep, not a command: the time of the wait is up then, and it
	 * ends as soon as is known how the request stands. A grant that comes first wins, and
	 * the interrupt is set again.
	 *
	 * Observers are foreign code that may take its time, on this thread. They are told
	 * while nobody waits for it: that it wants a lock before it stands in the engine, and
	 * the outcome after it has left. Exception: a thread whose hold expired just as it
	 * re-entered; observers never hear that it wanted the lock.
	 */

	private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final boolean interruptible;

	private final Thread thread = Thread.currentThread();

	private boolean interrupted;

	/**
	 * Prepare the call.
	 * @param interruptible whether an interrupt ends the wait
	 */
	BlockingAcquire(LockRuntime runtime, Want want, Object owner, boolean interruptible) {
		super(runtime, want, owner);
		this.interruptible = interruptible;
	}

	@Override
	public void wake() {
		if (Thread.currentThread() != this.thread) {
			LockSupport.unpark(this.thread);
		}
	}

	/**
	 * Acquires the lock.
	 * @return the grant, or {@code null} if another kept the lock
	 */
	@Nullable Grant acquire() throws InterruptedException {
		this.runtime.checkOpen(this.want.name());
		checkThread();
		if (this.interruptible && Thread.interrupted()) {
			throw new InterruptedException();
		}
		boolean told = false;
		try {
			Grant held = (owner() == this.thread) ? this.runtime.table.grant(this.want.name(), this.thread) : null;
			if (held == null || !held.isHeld(this.runtime.now())) {
				begin();
			}
			this.runtime.performer.perform(enter());
			Grant grant = outcome(await());
			told = true;
			return grant;
		}
		finally {
			if (!told) {
				abandon();
				// A re-entry has counted once more in a grant that its owner had.
				if (outcome() instanceof Verdict.Granted again && again.grant().waiter() != this) {
					this.runtime.releaser.releaseQuietly(again.grant(), wish().isShared());
				}
			}
			// Unless another outcome was told.
			tellFailed(Failure.ERROR, null);
			if (this.interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/** Who reads the answers of Redis would wait for itself. */
	private void checkThread() {
		String name = this.thread.getName();
		if (name.startsWith("lettuce-") && name.contains("EventLoop")) {
			throw new IllegalStateException("Thread '" + name + "' must not wait for lock '" + this.want.name()
					+ "', as it reads the answers of Redis. Use acquireAsync in callbacks of Lettuce");
		}
	}

	private Verdict await() {
		Verdict verdict = outcome();
		while (verdict == null) {
			this.waited = true;
			long left = sinceNanos() + this.want.waitNanos() - this.runtime.now();
			LockSupport.parkNanos(this, (left > 0) ? Math.min(LOOK_NANOS, left) : LOOK_NANOS);
			this.interrupted |= Thread.interrupted();
			if (outcome() == null && (isCancelled() || isTimeUp(this.runtime.now()))) {
				this.runtime.performer.perform(timeUp(isCancelled()));
			}
			verdict = outcome();
		}
		return verdict;
	}

	private boolean isCancelled() {
		return this.interrupted && this.interruptible;
	}

	private @Nullable Grant outcome(Verdict verdict) throws InterruptedException {
		if (verdict instanceof Verdict.Granted granted) {
			Grant grant = granted.grant();
			if (grant.waiter() != this) {
				return enteredAgain(grant);
			}
			if (!this.runtime.context.isClosed()) {
				return acquired(grant);
			}
			this.runtime.releaser.releaseQuietly(grant, wish().isShared());
		}
		RuntimeException refusal = refusal(verdict, isCancelled());
		if (refusal != null) {
			throw refusal;
		}
		if (isCancelled()) {
			this.interrupted = false;
			throw new InterruptedException();
		}
		return null;
	}

	/**
	 * Has what its owner holds already last as long as it wants.
	 * @throws LockLostException if it is lost
	 */
	private Grant enteredAgain(Grant held) {
		long leaseMillis = this.runtime.settings.leaseMillis(this.want.lease());
		CompletableFuture<Reply> answer = this.runtime.performer.ask(held,
				(now) -> held.state().extend(held, leaseMillis, this.want.isWatched(), now));
		if (answer != null) {
			try {
				answer.join();
			}
			catch (RuntimeException ex) {
				throw this.runtime.errors.notAcquired(this.want, this.runtime.errors.failureOf(this.want.name(), ex),
						sinceNanos());
			}
		}
		// Also if somebody else has found the loss just before.
		if (held.loss() != null) {
			throw new LockLostException(of(held).lossOf(held));
		}
		of(held).owned().reentered();
		return held;
	}

}
