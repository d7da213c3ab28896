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

import java.util.List;

import io.holdfast.lock.LockServerException;

/**
 * What operators see of locks, and how they end a hold. Each method blocks, and throws
 * {@link LockServerException} if there is no answer. Thread-safe.
 */
public interface ServerDirectory {

	/**
	 * Finds locks, held or not.
	 * @param cursor where to go on; 0 to start
	 * @param count about how many keys to look at, be they locks or not
	 * @param namePrefix what the names of the locks begin with
	 */
	LockPage list(String cursor, int count, String namePrefix);

	/**
	 * Who holds each of some locks: several rows for a lock that several hold, at most
	 * 100. Locks that nobody holds are left out.
	 * @param strict whether a key that is not a lock, or whose data are damaged, is an
	 * error; else it is left out, too
	 */
	List<HoldInfo> describe(List<String> keys, boolean strict);

	/**
	 * Who waits for a lock, in order.
	 */
	List<WaiterInfo> waiters(String key, int limit);

	/**
	 * Takes the lock from those who hold it.
	 * @param which ids of requests, or fencing tokens: all holds that have one of them.
	 * Empty for all that hold it
	 * @return how many held it
	 */
	int evict(String key, List<String> which);

}
