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

package io.holdfast.lock.redis;

import java.util.List;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.redis.ScriptRunner.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * What a lock client asks of Redis, wherever and however often that runs. Every method
 * throws {@link LockServerException} and nothing else if the server fails.
 */
interface LockServer {

	/**
	 * How long after it was sent a new request may still take effect at most. Longer than
	 * an answer takes, short enough that a request which its caller has given up is
	 * harmless.
	 */
	long REQUEST_VALIDITY_MILLIS = 5000;

	/**
	 * How many threads renew at most, for each server of a cluster.
	 */
	int RENEWAL_THREADS = 4;

	/**
	 * Asks for the lock. The answer {@code NONE} means that it is held by another and
	 * that this request does not wait for it.
	 * @param waits whether to join the queue
	 * @param deadlineNanos local time after which the caller has no use for the lock
	 * @param interruptible whether to give up if the thread is interrupted
	 */
	Standing acquire(String key, Question question, boolean waits, long deadlineNanos, boolean interruptible);

	/**
	 * Gives up what a request has and, for waiting threads of this client, joins the
	 * queue with another one.
	 */
	Released release(String key, Departure departure);

	/**
	 * Gives up what a request has, and those whose owners had its hold since.
	 */
	void release(String key, List<String> ids);

	/**
	 * Says for many requests that their client lives.
	 * @return how each stands, in the same order
	 */
	List<Standing> renew(List<Sign> signs);

	/**
	 * Says for many requests, whose locks are on one server, that their client lives.
	 * @param groups each of which one script takes, see {@link Nodes#together}
	 * @return for each group how each of its requests stands, in the same order
	 */
	List<Outcome<List<Standing>>> renewEach(List<List<Sign>> groups);

	/**
	 * Says for a request that its owner is about to run, and makes sure that as many
	 * replicas as wanted know it.
	 * @param interruptible whether to give up if the thread is interrupted
	 */
	Confirmation confirm(Sign sign, boolean interruptible);

	/**
	 * Takes the lock from whoever holds it.
	 * @param id the hold to end, or empty for any
	 * @return whether it was held
	 */
	boolean evict(String key, String id);

	/**
	 * Finds locks, a page at a time.
	 * @param cursor where to go on; 0 to start
	 * @param count about how many keys to look at
	 */
	Found list(String cursor, int count);

	/**
	 * Who holds each of some locks. Locks that nobody holds are left out.
	 * @param strict whether a key that is not a lock is an error; else it is left out,
	 * too
	 */
	List<Held> describe(List<String> keys, boolean strict);

	/**
	 * Who waits for a lock, in order.
	 */
	List<Queued> waiters(String key, int limit);

	/**
	 * Has the server of a lock send this client a message.
	 * @return whether it did
	 */
	boolean echo(String key);

	/**
	 * Which server has which lock.
	 */
	Nodes nodes();

	/**
	 * Ends what it does in the background.
	 */
	void close();

	/**
	 * What a request wants.
	 *
	 * @param type the order among waiters
	 * @param leaseMillis how long the hold shall last
	 * @param block how many tokens the client can use
	 */
	record Wish(LockType type, long leaseMillis, int block) {

		@Override
		public String toString() {
			return ((this.type == LockType.FAIR) ? "fair " : "reentrant ") + this.leaseMillis + ' ' + this.block;
		}

	}

	/**
	 * A question to the server.
	 *
	 * @param id the request
	 * @param wish what it wants
	 * @param again whether it waits already
	 * @param unhurried whether it may wait a moment to go along with another request
	 */
	record Question(String id, Wish wish, boolean again, boolean unhurried) {
	}

	/**
	 * A request that is given up, and the one that takes its place.
	 *
	 * @param ids the request to release, and those whose owners had its hold since
	 * @param token the fencing token of the latest owner, or 0 if none did run
	 * @param nextId the new request, or empty if nobody waits
	 * @param next what the new request wants
	 */
	record Departure(List<String> ids, long token, String nextId, @Nullable Wish next) {

		static Departure of(String id) {
			return new Departure(List.of(id), 0, "", null);
		}

		String id() {
			return this.ids.get(0);
		}

		@Override
		public String toString() {
			String release = "release " + String.join(",", this.ids) + ' ' + this.token;
			return (this.next != null) ? release + ' ' + this.nextId + ' ' + this.next : release;
		}

	}

	/**
	 * A sign of life for one request.
	 *
	 * @param key the lock
	 * @param id the request
	 * @param leaseMillis the lease from now on, if it holds
	 * @param block how many more tokens the client can use, or 0
	 */
	record Sign(String key, String id, long leaseMillis, int block) {

		/**
		 * The shortest lease there is prolongs nothing: it only asks.
		 */
		static final long ONLY_ASKS = 1;

		boolean prolongs() {
			return this.leaseMillis > ONLY_ASKS;
		}

	}

	/**
	 * What came of a confirmation.
	 *
	 * @param standing how the request stands, or {@code null} if there was no answer
	 * @param failure why its owner cannot be sure of that
	 */
	record Confirmation(@Nullable Standing standing, @Nullable LockServerException failure) {
	}

	/**
	 * The answer to a release.
	 *
	 * @param had whether the request had something to give up, now or when this ran first
	 * @param next how the next request stands, or {@code null} if there is none
	 */
	record Released(boolean had, @Nullable Standing next) {
	}

	/**
	 * A page of locks.
	 *
	 * @param next the cursor of the next page, or 0 at the end
	 * @param keys locks, held or not
	 */
	record Found(String next, List<String> keys) {
	}

	/**
	 * A hold.
	 *
	 * @param key the lock
	 * @param id the request that holds it
	 * @param client who made the request
	 * @param type the order for which it asked
	 * @param token the fencing token
	 * @param sinceMillis when its client got it, by the server's clock
	 * @param leftMillis what is left of the lease
	 * @param waiters how many requests wait
	 */
	record Held(String key, String id, String client, LockType type, long token, long sinceMillis, long leftMillis,
			long waiters) {
	}

	/**
	 * A request that waits.
	 *
	 * @param alive whether it keeps its place
	 * @param type the order for which it asked
	 * @param client who made the request
	 */
	record Queued(boolean alive, LockType type, String client) {
	}

}
