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

package io.holdfast.lock.internal.redis;

import java.time.Duration;
import java.util.List;

import io.holdfast.lock.internal.protocol.LockServer;
import io.holdfast.lock.internal.protocol.ServerSettings;

/**
 * Makes one server of several.
 */
public interface ServerUnion {

	/**
	 * Makes it.
	 * @param servers each of them; they are closed with the union
	 */
	LockServer join(List<RedisLockServer> servers, ServerSettings settings);

	/**
	 * Refuses a lease that the servers together cannot guarantee.
	 * @throws IllegalArgumentException if they cannot
	 */
	void checkLease(Duration lease);

}
