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

import java.util.function.Supplier;

import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockObserver.Acquisition;
import io.holdfast.lock.LockObserver.Failure;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * What observers are told of one {@link BlockingAcquire}, on the thread of its caller:
 * that it wants the lock, and once what came of it.
 */
final class ObservedCall {

	/*
	 * Observers are foreign code that may take its time, on the thread of the call. They
	 * are told while nobody waits for that thread: that it wants a lock before it stands
	 * in the engine, where others may count on what it asks; what came of it when it has
	 * left. Once it has the lock, they cost no more than the owner's own work would. Of
	 * one caller they are told late: a thread whose hold was just over when it wanted to
	 * enter it again.
	 */

	private final LockRuntime runtime;

	private final Waiter waiter;

	private final Supplier<LockObserver.Attempt> beginAttempt;

	/**
	 * Who is to be told what comes of it; nobody before it is known to want the lock, and
	 * once that is told.
	 */
	private LockObserver.Attempt attempt = LockObserver.Attempt.UNOBSERVED;

	private boolean slept;

	/**
	 * Prepare to tell.
	 * @param waiter the caller, as the engine knows it
	 * @param beginAttempt tells observers that the lock is wanted, and returns who is
	 * told what comes of it
	 */
	ObservedCall(LockRuntime runtime, Waiter waiter, Supplier<LockObserver.Attempt> beginAttempt) {
		this.runtime = runtime;
		this.waiter = waiter;
		this.beginAttempt = beginAttempt;
	}

	/** Tells that it wants the lock. */
	void begin() {
		this.attempt = this.beginAttempt.get();
	}

	/** Notes that it has slept, so a grant does not come at the first attempt. */
	void slept() {
		this.slept = true;
	}

	/** Tells that it got the lock. */
	void acquired(Grant grant) {
		LockObserver.Attempt told = this.attempt;
		this.attempt = LockObserver.Attempt.UNOBSERVED;
		Acquisition first = this.slept ? Acquisition.WAITED : Acquisition.FIRST_ATTEMPT;
		this.runtime.observers()
			.acquired(told, grant, grant.wasPassedOn() ? Acquisition.PASSED_ON : first,
					grant.sinceNanos() - this.waiter.sinceNanos());
	}

	/** Tells why it has no grant, unless that, or that it has one, was told. */
	void failed(Failure why, @Nullable LockServerException reason) {
		LockObserver.Attempt told = this.attempt;
		if (told != LockObserver.Attempt.UNOBSERVED) {
			this.attempt = LockObserver.Attempt.UNOBSERVED;
			told.failed(why, this.runtime.engine().now() - this.waiter.sinceNanos(), reason);
		}
	}

}
