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

package io.holdfast.lock.internal.single;

import java.time.Duration;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;

import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.PendingReleaseQueue;
import io.holdfast.lock.internal.server.ServerSettings;

/**
 * Makes one server of several, in a module that is built on this one.
 */
public interface ServerUnion {

	/**
	 * Makes the server.
	 * @param holds whether the client holds a lock, by its key, with a request
	 */
	LockServer join(List<RedisLockServer> servers, ServerSettings settings, LongSupplier nanoTime,
			PendingReleaseQueue pendingReleases, BiPredicate<String, String> holds);

	/**
	 * Refuses a lease that the servers cannot guarantee.
	 */
	void checkLease(Duration lease);

}
