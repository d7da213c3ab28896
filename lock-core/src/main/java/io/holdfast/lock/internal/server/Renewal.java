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

/**
 * Says that the client of a request lives: prolongs its hold, or keeps its place in the
 * queue.
 *
 * @param key the lock
 * @param id the request
 * @param leaseMillis the lease from now on, if it holds
 * @param block how many more tokens the client can use, or 0
 * @param ownedMillis for how long its present owner has it, if an earlier one passed it
 * on inside the client, or 0
 */
public record Renewal(String key, String id, long leaseMillis, int block, long ownedMillis) {

	/**
	 * The shortest lease there is prolongs nothing: it only asks.
	 */
	public static final long ONLY_ASKS = 1;

	/**
	 * The renewal of a hold.
	 */
	public Renewal(String key, String id, long leaseMillis, int block) {
		this(key, id, leaseMillis, block, 0);
	}

	public boolean prolongs() {
		return this.leaseMillis > ONLY_ASKS;
	}

}
