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

package io.holdfast.lock;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Is told what happens to the locks of a {@link LockClient}, for metrics, traces and
 * whoever has to know of losses. Thread-safe. What it throws is logged and changes
 * nothing for the caller.
 * <p>
 * Called on the acquiring or releasing thread, which waits for it: be quick, do not
 * block, do not use locks. What no caller does, which is {@link #lost},
 * {@link #renewalFailed} and {@link #deadlocked}, is told on a thread of the observer's
 * own, one notice after the other, and nothing else waits for that: neither actions of
 * {@link LeaseView#onLost}, nor the log, nor other observers. A notice is dropped, with a
 * warning, where 10,000 others wait, or there is no memory for it. Closing the client
 * waits up to a second for those that are left.
 * <p>
 * Without an observer the cost is negligible.
 */
public interface LockObserver {

	/*
	 * Every method has a default, so a class that forgets to forward a new one compiles.
	 * Observers and its Attempts forward.
	 */

	/**
	 * A caller wants a lock that it does not hold. Called for every attempt, including
	 * ones refused at once, and before it asks for the lock; for several locks, once for
	 * each that it comes to.
	 * @param name the lock's name; there may be any number of them
	 * @param declaredName what the caller says the lock is called in metrics, or
	 * {@code null} ({@link LockOptions#named}, {@link LeaseLock#named})
	 * @param fair whether the caller asks to be served first come, first served
	 * @param mode what may hold the lock beside it
	 * @return who is told what comes of it; may be one for many attempts
	 */
	default Attempt wanted(String name, @Nullable String declaredName, boolean fair, LockMode mode) {
		return Attempt.UNOBSERVED;
	}

	/**
	 * An owner lost a lock: its hold ended before it was released. Told on the observer's
	 * thread, after {@link Attempt#acquired}.
	 * @param loss how
	 * @param attempt what {@link #wanted} returned when the owner wanted the lock
	 */
	default void lost(LockLoss loss, Attempt attempt) {
	}

	/**
	 * The renewal of a hold, or of a place in the queue, failed and is tried again. Told
	 * on the observer's thread; may be dropped.
	 * @param name the lock's name
	 * @param reason why it failed
	 */
	default void renewalFailed(String name, LockServerException reason) {
	}

	/**
	 * A lock was released by force through this client. Told on the caller's thread.
	 * @param name the lock's name
	 */
	default void forced(String name) {
	}

	/**
	 * Threads of a client wait for each other in a cycle, each for a lock that the next
	 * one holds. Told once for each cycle, on the observer's thread; may be dropped.
	 * @param names the names of these locks
	 */
	default void deadlocked(List<String> names) {
	}

	/**
	 * A client starts. Told on the thread that builds it.
	 * @param client what it does, to be looked at now and then
	 */
	default void started(ClientState client) {
	}

	/**
	 * A client is closed, or failed to start. Told on the thread that closes it; losses
	 * that this brings are told afterwards.
	 * @param client what was given when it started
	 */
	default void stopped(ClientState client) {
	}

	/**
	 * Is told what comes of one attempt: first either {@link #acquired} or
	 * {@link #failed}; after {@code acquired} in the end either {@link #released}, or
	 * {@link LockObserver#lost} of the observer, never both, maybe on another thread. If
	 * the lock is never released nor lost, or the notice of the loss is dropped, neither
	 * is called.
	 */
	interface Attempt {

		/**
		 * Does nothing.
		 */
		Attempt UNOBSERVED = new Attempt() {
		};

		/**
		 * The caller has the lock.
		 * @param how how it came to it
		 * @param waitedNanos how long that took
		 */
		default void acquired(Acquisition how, long waitedNanos) {
		}

		/**
		 * The caller, who has the lock, acquired it once more. Not called if that failed
		 * at the server, which changes nothing about the hold.
		 */
		default void reentered() {
		}

		/**
		 * The caller does not have the lock.
		 * @param why what ended the attempt
		 * @param waitedNanos how long it took
		 * @param reason what is thrown if the server gave no answer, else {@code null}
		 */
		default void failed(Failure why, long waitedNanos, @Nullable LockServerException reason) {
		}

		/**
		 * The owner gave the lock back, for the last time if it had acquired it several
		 * times.
		 * @param how to whom
		 * @param heldNanos how long it had it
		 */
		default void released(Release how, long heldNanos) {
		}

	}

	/**
	 * How a caller came to a lock.
	 */
	enum Acquisition {

		/**
		 * The server gave it at the first attempt.
		 */
		FIRST_ATTEMPT,

		/**
		 * The server gave it after the caller had waited.
		 */
		WAITED,

		/**
		 * Another owner of this client passed it on, without asking the server.
		 */
		PASSED_ON

	}

	/**
	 * Why a caller does not have a lock.
	 */
	enum Failure {

		/**
		 * Another has it, and the caller did not want to wait.
		 */
		REFUSED,

		/**
		 * Another has it, and the wait is over.
		 */
		TIMED_OUT,

		/**
		 * As many wait for it as may ({@link TooManyWaitersException}).
		 */
		FULL,

		/**
		 * The server gave no answer, or not the wanted one.
		 */
		SERVER,

		/**
		 * The caller was interrupted, or its future cancelled.
		 */
		INTERRUPTED,

		/** The client was closed. */
		CLOSED,

		/**
		 * Something else was thrown, such as an {@link OutOfMemoryError}, or a
		 * {@link LockLostException} because the caller has lost the lock and not unlocked
		 * it yet.
		 */
		ERROR

	}

	/**
	 * To whom an owner gave a lock.
	 */
	enum Release {

		/** To the server. */
		RETURNED,

		/**
		 * To another caller of this client, without asking the server.
		 */
		PASSED_ON,

		/**
		 * To the server, which did not answer: it is told again until the lease ends.
		 */
		PENDING

	}

	/**
	 * What a client does at the moment. Each method looks through the locks that the
	 * client uses, so it is for now and then. Thread-safe.
	 */
	interface ClientState {

		/**
		 * Returns the client's id, as {@link LockClient#id()} does.
		 * @return the id
		 */
		String id();

		/**
		 * Returns how many holds callers of this client have; each reader has one.
		 * @return the number of holds
		 */
		int held();

		/**
		 * Returns how many of these are not {@link LeaseView#isValid() valid} for now.
		 * @return the number of holds
		 */
		int unsure();

		/**
		 * Returns how many callers of this client wait for a lock.
		 * @return the number of callers
		 */
		int waiting();

		/**
		 * Returns how far the most overdue renewal of a held lock is behind the time at
		 * which it fell due. At two thirds of the watchdog timeout a lock is lost.
		 * @return the time; zero if none is overdue
		 */
		Duration renewalLag();

		/**
		 * Returns how many releases have failed and are tried again.
		 * @return the number of requests
		 */
		int pendingReleases();

		/**
		 * Returns how often the subscription to the server's messages was made again.
		 * @return the number, which only grows
		 */
		long resubscriptions();

		/**
		 * Returns for how long no message of the server has come through.
		 * @return the time; zero while messages come through
		 */
		Duration subscriptionDownFor();

	}

}
