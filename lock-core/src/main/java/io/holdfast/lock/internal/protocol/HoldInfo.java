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
 * A hold; a lock may have several.
 *
 * @param key the lock
 * @param id the request that holds it
 * @param client who made the request
 * @param wish what it asked for
 * @param token the first fencing token that it may give out
 * @param lastToken the last one
 * @param sinceMillis when its owner got it, by the server's clock and the latest word of
 * its client
 * @param ageMillis how long ago that was, by the server's clock
 * @param leftMillis what is left of the lease
 * @param renewedMillis how long the lease is if its client is known to renew it, else 0
 * @param waiters how many requests wait, of which each may stand for several callers
 * @param holders how many hold the lock, of which at most 100 are described
 * @param unitsInUse what they have together: of permits how many are taken
 */
public record HoldInfo(String key, String id, String client, Wish wish, long token, long lastToken, long sinceMillis,
		long ageMillis, long leftMillis, long renewedMillis, long waiters, int holders, int unitsInUse) {

	/**
	 * The same hold with the tokens that another server knows.
	 */
	public HoldInfo withTokens(long first, long last) {
		return new HoldInfo(this.key, this.id, this.client, this.wish, first, last, this.sinceMillis, this.ageMillis,
				this.leftMillis, this.renewedMillis, this.waiters, this.holders, this.unitsInUse);
	}

}
