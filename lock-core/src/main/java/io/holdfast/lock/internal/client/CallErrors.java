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
import java.util.concurrent.CompletionException;

import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.TooManyWaitersException;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.engine.Verdict;
import io.holdfast.lock.internal.engine.Waiter;
import io.holdfast.lock.internal.text.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * What callers are told when a lock is not acquired or not released: which lock, of which
 * kind, who of this client has it, for how long that took, and what to do. Made only when
 * it is told, of what the client knows: nothing is kept for it, and no server is asked.
 * So the holder is the one at that moment, which may be a later one than that for which
 * the caller has waited.
 *
 * @param runtime the client's parts
 */
record CallErrors(LockRuntime runtime) {

	/**
	 * Another kept the lock for the whole wait.
	 */
	LockNotAcquiredException notAcquired(Want want) {
		String message = want.subject() + " is held by another"
				+ (want.maxWait().isZero() ? ", and the call does not wait. "
						: " and did not become free within " + DurationText.of(want.maxWait()) + ". ");
		return new LockNotAcquiredException(want.name(), want.maxWait(), message + whoHolds(want.name()));
	}

	/**
	 * Who of this client holds a lock, and what to do; or where to look.
	 */
	String whoHolds(String name) {
		Grant holder = holder(name);
		return (holder != null) ? whatToDoAbout(holder)
				: "No thread of this client holds it: GET /actuator/locks/{name}, or LockDirectory.find, shows which "
						+ "client does, on which host and since when";
	}

	/**
	 * Too many wait already.
	 */
	TooManyWaitersException full(Want want, int waiting) {
		Duration forecast = this.runtime.holdTimes.forecast(want, waiting);
		String message = want.subject() + " has " + waiting + " callers that wait, as many as may. "
				+ ((forecast != null)
						? "They may have had it in about " + describe(forecast.toNanos()) + ": try again then"
						: "Try again later, or let more of them wait");
		return new TooManyWaitersException(want.name(), want.maxWait(), message, waiting, forecast);
	}

	private @Nullable Grant holder(String name) {
		LockState state = this.runtime.table.find(name);
		return (state != null) ? state.holder(this.runtime.now()) : null;
	}

	private String whatToDoAbout(Grant holder) {
		return "It is held by " + describe(holder) + ". " + (holder.wasAcquiredBy(Thread.currentThread())
				? "That is the thread that waited, and a lease is not reentrant: give it back first, or pass it on"
				: "Look at what the holder does, or wait for longer");
	}

	private String describe(Grant holder) {
		return holder.describeOwner() + " of this client, " + this.runtime.settings.clientId() + ", for "
				+ since(holder.sinceNanos());
	}

	/**
	 * The server failed, so it is unknown who holds the lock. Others may be told of the
	 * same failure, so each call has an exception of its own.
	 */
	LockServerException notAcquired(Want want, LockServerException failure, long sinceNanos) {
		return failure(want.name(), failure,
				" (" + want.kind() + ", after " + since(sinceNanos) + "). " + advice(failure.reason()));
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
	LockServerException notReleased(Grant grant, Throwable thrown) {
		return failure(grant.name(), failureOf(grant.name(), thrown), " (" + Call.of(grant).want.kind() + ", held for "
				+ since(grant.sinceNanos())
				+ "). The release is tried again in the background, and the lock ends with its lease at the latest");
	}

	private static LockServerException failure(String name, LockServerException failure, String more) {
		return new LockServerException(name, failure.reason(), failure.getMessage() + more, failure.getCause());
	}

	/**
	 * A failure as the server told of it; anything else is no answer.
	 */
	LockServerException failureOf(String name, Throwable thrown) {
		Throwable failure = (thrown instanceof CompletionException && thrown.getCause() != null) ? thrown.getCause()
				: thrown;
		return (failure instanceof LockServerException known) ? known : new LockServerException(name, Reason.TIMED_OUT,
				"Lock '" + name + "': an unexpected error hit the command: " + failure, failure);
	}

	/**
	 * Why there is no answer to give.
	 */
	RuntimeException failureOf(String name, Verdict.Failed failed) {
		if (failed.failure() != null) {
			return failed.failure();
		}
		Reason reason = failed.split() ? Reason.UNAVAILABLE : Reason.TIMED_OUT;
		String why = failed.split() ? "several clients asked the servers of its quorum at once, and none had a majority"
				: "several requests in a row came too late, or were over before use";
		return new LockServerException(name, reason, "Lock '" + name + "': " + why, null);
	}

	/**
	 * A thread that reads wants to write, or one with permits wants what they are not.
	 */
	IllegalStateException upgrade(Want want) {
		Grant grant = this.runtime.table.grant(want.name(), Thread.currentThread());
		LockMode has = (grant != null) ? Call.of(grant).wish().mode() : LockMode.SHARED;
		String holds = "Thread '" + Waiter.nameOf(Thread.currentThread()) + "' holds ";
		return new IllegalStateException((has.kind() == LockMode.Kind.PERMITS)
				? holds + has + " of '" + want.name() + "' and cannot also get it as " + want.kind()
						+ ": it would wait for itself. Give those back first, or use another name."
				: holds + "lock '" + want.name()
						+ "' for reading and cannot also get it for writing: two that do so would wait for each other. "
						+ "Release the read lock first, or take the write lock from the start.");
	}

	/**
	 * The calling thread has nothing to give back.
	 */
	IllegalMonitorStateException notHeld(Want want) {
		Grant holder = holder(want.name());
		return new IllegalMonitorStateException(want.subject() + " is not held by thread '"
				+ Waiter.nameOf(Thread.currentThread()) + "' of client " + this.runtime.settings.clientId() + ". "
				+ ((holder != null) ? "It is held by " + describe(holder)
						: "No other thread of this client holds it, either")
				+ ". Unlock once for each time it was locked, on the same thread; work that changes threads needs a Lease");
	}

	String since(long nanos) {
		return describe(this.runtime.now() - nanos);
	}

	/**
	 * Words a time as it is found in all messages, to the millisecond.
	 */
	static String describe(long nanos) {
		return DurationText.millisOf(Duration.ofNanos(nanos));
	}

}
