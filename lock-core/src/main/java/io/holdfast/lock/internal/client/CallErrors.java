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

import java.time.Duration;

import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.HandleOwner;
import io.holdfast.lock.internal.text.DurationText;

/**
 * What callers are told when a lock is not acquired, not released or not shown: which
 * lock, of which type, who of this client has it, for how long that took, and what to do.
 * Made only when it is thrown, of what the client knows: nothing is kept for it, and no
 * server is asked. So the holder is the one at that moment, which may be a later one than
 * that for which the caller has waited.
 */
final class CallErrors {

	private final LockRuntime runtime;

	CallErrors(LockRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Another kept the lock for the whole wait.
	 */
	LockNotAcquiredException notAcquired(String name, LockType type, Duration waitTime) {
		String message = subject(name, type) + " is held by another"
				+ (waitTime.isZero() ? ", and the call does not wait. "
						: " and did not become free within " + DurationText.of(waitTime) + ". ");
		Grant holder = this.runtime.engine().view().holder(name);
		return new LockNotAcquiredException(name, waitTime, message + ((holder != null) ? whatToDoAbout(holder)
				: "No thread of this client holds it: GET /actuator/locks/{name}, or LockDirectory.find, shows which "
						+ "client does, on which host and since when"));
	}

	private String whatToDoAbout(Grant holder) {
		return "It is held by " + describe(holder) + ". " + (holder.wasAcquiredBy(Thread.currentThread())
				? "That is the thread that waited, and a lease is not reentrant: give it back first, or pass it on"
				: "Look at what the holder does, or wait for longer");
	}

	private String describe(Grant holder) {
		return holder.describeOwner() + " of this client, " + this.runtime.settings().clientId() + ", for "
				+ since(holder.sinceNanos());
	}

	/**
	 * The server failed, so it is unknown who holds the lock. Others may be told of the
	 * same failure, so each call has an exception of its own.
	 */
	LockServerException notAcquired(String name, LockType type, LockServerException failure, long sinceNanos) {
		return failure(name, failure, " (" + type + ", after " + since(sinceNanos) + "). " + advice(failure.reason()));
	}

	/**
	 * A directory call failed.
	 */
	LockServerException notAnswered(LockServerException failure) {
		return failure(failure.lockName(), failure, ". " + advice(failure.reason()));
	}

	private static String advice(Reason reason) {
		return switch (reason) {
			case UNREACHABLE -> "Check Redis and the network path to it";
			case TIMED_OUT -> "Look for what makes Redis, or the network path to it, slow";
			case UNAVAILABLE -> "This passes with time: try again, or wait for longer";
			case REFUSED -> "This does not pass by itself: correct it before trying again";
		};
	}

	/**
	 * The server was told to release a lock and did not say that it has.
	 */
	LockServerException notReleased(Grant grant, LockServerException failure) {
		return failure(grant.name(), failure, " (" + grant.type() + ", held for " + since(grant.sinceNanos())
				+ "). The release is tried again in the background, and the lock ends with its lease at the latest");
	}

	private static LockServerException failure(String name, LockServerException failure, String more) {
		return new LockServerException(name, failure.reason(), failure.getMessage() + more, failure.getCause());
	}

	/**
	 * The client is closed, or has closed itself. The name is empty if it is of no lock.
	 */
	LockClientClosedException closed(String name) {
		Throwable broken = this.runtime.engine().broken();
		return (broken != null) ? new LockClientClosedException(name, broken) : new LockClientClosedException(name);
	}

	/**
	 * The calling thread has nothing to give back.
	 */
	IllegalMonitorStateException notHeld(String name, LockType type) {
		Grant holder = this.runtime.engine().view().holder(name);
		return new IllegalMonitorStateException(subject(name, type) + " is not held by thread '"
				+ HandleOwner.nameOf(Thread.currentThread()) + "' of client " + this.runtime.settings().clientId()
				+ ". "
				+ ((holder != null) ? "It is held by " + describe(holder)
						: "No other thread of this client holds it, either")
				+ ". Unlock once for each time it was locked, on the same thread; work that changes threads needs a Lease");
	}

	private static String subject(String name, LockType type) {
		return "Lock '" + name + "' (" + type + ")";
	}

	private String since(long nanos) {
		return describe(this.runtime.engine().now() - nanos);
	}

	/**
	 * Words a time as it is found in all messages, to the millisecond.
	 */
	static String describe(long nanos) {
		return DurationText.millisOf(Duration.ofNanos(nanos));
	}

}
