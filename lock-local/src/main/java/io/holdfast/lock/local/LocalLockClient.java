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

package io.holdfast.lock.local;

import java.util.List;

import io.holdfast.lock.LeaseView;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.internal.client.AbstractLockClient;
import io.holdfast.lock.internal.client.ClientSettings;
import io.holdfast.lock.internal.client.LockRuntime;
import io.holdfast.lock.internal.memory.MemoryLockServer;
import io.holdfast.lock.internal.protocol.ServerSettings;

/**
 * A {@link LockClient} whose locks are in the memory of this process, without Redis. No
 * other process sees them. It promises what the client on Redis promises: reentrancy,
 * order of fair locks, fencing tokens, leases, the watchdog, losses that are told, the
 * directory. Its calls never fail for want of a server.
 * <p>
 * Has a thread that looks after leases, one for actions of {@link LeaseView#onLost}, one
 * for each observer, and a few for renewals and hand-overs, which end when idle.
 */
public final class LocalLockClient extends AbstractLockClient {

	LocalLockClient(LocalLocks locks, ClientSettings settings, ServerSettings server) {
		super(new LockRuntime(settings,
				(created) -> new MemoryLockServer(locks.memory(), server, settings.nanoTime(), created),
				(created) -> List.of()));
	}

	/**
	 * Starts to describe a client with locks of its own.
	 * @return the builder
	 */
	public static LocalLockClientBuilder builder() {
		return new LocalLockClientBuilder();
	}

	@Override
	public String toString() {
		return "LocalLockClient[" + id() + "]";
	}

}
