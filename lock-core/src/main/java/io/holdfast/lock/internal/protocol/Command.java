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

import org.jspecify.annotations.Nullable;

/**
 * What a client sends about one request. Each may be carried out late, twice or not at
 * all, and says the same the second time.
 */
public sealed interface Command {

	/**
	 * The key of the lock.
	 */
	String key();

	/**
	 * The request.
	 */
	String id();

	/**
	 * Asks for the lock: joins the queue, or stays in it.
	 *
	 * @param key the key of the lock
	 * @param id the request
	 * @param wish what it asks for
	 * @param leaseMillis for how long it holds the lock
	 * @param block how many fencing tokens to reserve
	 * @param callers how many callers wait for it; with 0 it does not join the queue
	 * @param notAfterNanos local time after which nothing may come of it
	 * @param session to which its hold is tied; an empty string if to none
	 */
	record Ask(String key, String id, Wish wish, long leaseMillis, int block, int callers, long notAfterNanos,
			String session) implements Command {
	}

	/**
	 * Says that the client of a hold or of a place in the queue lives, and asks how it
	 * stands.
	 *
	 * @param key the key of the lock
	 * @param id the request
	 * @param leaseMillis for how long from now a hold lasts at least
	 * @param block how many fencing tokens to reserve
	 * @param callers how many callers wait
	 * @param ownedMillis for how long its present owner has had the hold, for operators;
	 * 0 if nobody has it
	 * @param session to which a hold is tied from now on; an empty string if to the one
	 * to which it is
	 */
	record Renew(String key, String id, long leaseMillis, int block, int callers, long ownedMillis,
			String session) implements Command {
	}

	/**
	 * Gives up what a request has, and asks for the next one.
	 *
	 * @param key the key of the lock
	 * @param id the request
	 * @param stamp which hold of it
	 * @param next what to ask for
	 */
	record Release(String key, String id, long stamp, @Nullable Ask next) implements Command {
	}

	/**
	 * Makes a reader of an exclusive owner.
	 *
	 * @param key the key of the lock
	 * @param id the request
	 */
	record Downgrade(String key, String id) implements Command {
	}

}
