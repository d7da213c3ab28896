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

package io.holdfast.lock.internal.engine;

import java.util.List;

import io.holdfast.lock.LockType;

/**
 * Callers of this client that wait behind one request.
 *
 * @param id the request
 * @param type the order for which it asked
 * @param place where that is, as far as is known here
 * @param count how many they are
 * @param threads the names of the first of them
 */
public record LocalWaiters(String id, LockType type, Place place, int count, List<String> threads) {

	/**
	 * Where the waiters stand.
	 */
	public enum Place {

		/**
		 * Behind a hold of this client: they are the next to get it.
		 */
		HOLD,

		/**
		 * In the queue in Redis.
		 */
		QUEUE,

		/**
		 * Nowhere: there is no queue, or the server fails.
		 */
		NONE

	}

}
