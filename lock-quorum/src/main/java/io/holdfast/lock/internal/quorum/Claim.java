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

package io.holdfast.lock.internal.quorum;

/**
 * A hold that a majority of several servers knows.
 *
 * @param key the lock
 * @param id the request that holds it
 * @param leaseMillis the lease from now on
 * @param token its first fencing token
 * @param last its last fencing token
 */
record Claim(String key, String id, long leaseMillis, long token, long last) {
}
