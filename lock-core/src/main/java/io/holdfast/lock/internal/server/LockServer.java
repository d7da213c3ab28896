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

package io.holdfast.lock.internal.server;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.lock.LockServerException;

/**
 * What a lock client asks of Redis, wherever and however often that runs. Every method
 * throws {@link LockServerException} and nothing else if the server fails.
 */
public interface LockServer {

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
	 */
	LockReply acquire(String key, AcquireCommand command, boolean waits, long deadlineNanos);

	/**
	 * Gives up what a request has and, for waiting threads of this client, joins the
	 * queue with another one.
	 */
	ReleaseReply release(String key, ReleaseCommand command);

	/**
	 * Gives up what a request has.
	 */
	default void release(String key, String id) {
		release(key, ReleaseCommand.of(id));
	}

	/**
	 * Gives up what many requests have, whose locks are on one server.
	 * @return why, for each that was not answered
	 */
	default Map<Owed, LockServerException> releaseEach(List<Owed> owed) {
		Map<Owed, LockServerException> failures = new HashMap<>();
		for (Owed each : owed) {
			try {
				release(each.key(), each.id());
			}
			catch (LockServerException ex) {
				failures.put(each, ex);
			}
		}
		return failures;
	}

	/**
	 * Says for many requests that their client lives.
	 * @return how each stands, in the same order
	 */
	List<LockReply> renew(List<Renewal> renewals);

	/**
	 * Says for one request that its client lives, which also verifies a hold before its
	 * owner runs.
	 * @return how it stands
	 */
	default LockReply renew(Renewal renewal) {
		return renew(List.of(renewal)).get(0);
	}

	/**
	 * Says for many requests, whose locks are on one server, that their client lives.
	 * @param groups one for each script call, see {@link Topology#group}
	 * @return for each group how each of its requests stands, in the same order
	 */
	List<Outcome<List<LockReply>>> renewEach(List<List<Renewal>> groups);

	/**
	 * Takes the lock from a request that holds it.
	 * @param id the request; if another one holds the lock by now, nothing happens
	 * @return whether it held the lock
	 */
	boolean evict(String key, String id);

	/**
	 * Finds locks, held or not.
	 * @param cursor where to go on; 0 to start
	 * @param count about how many keys to look at, be they locks or not
	 * @param namePrefix what the names of the locks begin with
	 */
	LockPage list(String cursor, int count, String namePrefix);

	/**
	 * Who holds each of some locks. Locks that nobody holds are left out.
	 * @param strict whether a key that is not a lock, or whose data are damaged, is an
	 * error; else it is left out, too
	 */
	List<HoldInfo> describe(List<String> keys, boolean strict);

	/**
	 * Who waits for a lock, in order.
	 */
	List<WaiterInfo> waiters(String key, int limit);

	/**
	 * Has the server of a lock send this client a message.
	 * @return whether it did
	 */
	boolean echo(String key);

	/**
	 * How long a call of a caller waits for its answer at most.
	 */
	default Duration longestRequest() {
		return Duration.ofSeconds(1);
	}

	/**
	 * Which server has which lock.
	 */
	Topology topology();

	/**
	 * Ends what it does in the background.
	 */
	void close();

}
