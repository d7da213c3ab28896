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

package io.holdfast.lock.internal.protocol;

/**
 * What a subscription tells of the requests of this client, and of other clients. A
 * message may be late, lost, about a request that is over, or not from a client at all;
 * each method copes with that.
 */
public interface LockMessages {

	/**
	 * A request holds its lock now: another one gave it up.
	 * @param key the lock
	 * @param id the request
	 * @param leftMillis what is left of the lease
	 * @param token the first fencing token of the hold
	 * @param last the last fencing token of the hold; of a reader the stamp
	 * @param awaited whether other requests wait
	 */
	void granted(String key, String id, long leftMillis, long token, long last, boolean awaited);

	/**
	 * Another client has begun to wait for a lock that a request holds.
	 */
	void awaited(String key, String id);

	/**
	 * An operator has ended the hold of a request.
	 */
	void forced(String key, String id);

	/**
	 * Messages may have been lost until now.
	 */
	void missedMessages();

}
