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

package io.holdfast.lock.internal.engine.simulation;

import java.time.Duration;
import java.util.List;

import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.memory.LockMemory;
import io.holdfast.lock.internal.memory.MemoryLockServer;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.LockMessages;
import io.holdfast.lock.internal.server.LockRequest;
import io.holdfast.lock.internal.server.Renewal;
import io.holdfast.lock.internal.server.ServerSettings;
import io.holdfast.lock.internal.server.WaiterInfo;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who looks at the server, and whom no fault strikes.
 */
final class Operator {

	private final MemoryLockServer server;

	private long[] evicted = new long[2];

	Operator(LockMemory memory) {
		this.server = new MemoryLockServer(memory,
				new ServerSettings(SimulatedClient.KEYS, "operator", Duration.ofSeconds(1), Duration.ofHours(1)),
				() -> 0, new Deaf());
	}

	@Nullable HoldInfo describe(String name) {
		List<HoldInfo> found = this.server.describe(List.of(SimulatedClient.KEYS.lock(name)), true);
		return found.isEmpty() ? null : found.get(0);
	}

	List<WaiterInfo> waiters(String name, int limit) {
		return this.server.waiters(SimulatedClient.KEYS.lock(name), limit);
	}

	/**
	 * Takes a lock from whoever holds it.
	 * @return the last token of the hold, or zero if there was none
	 */
	long evict(String name) {
		HoldInfo hold = describe(name);
		if (hold == null) {
			return 0;
		}
		long last = this.server.renew(List.of(new Renewal(hold.key(), hold.id(), Renewal.ONLY_ASKS, 0))).get(0).last();
		this.evicted = new long[] { hold.token(), last };
		this.server.evict(hold.key(), hold.id());
		return last;
	}

	/**
	 * The first and the last token of the hold that was taken last.
	 */
	long[] evicted() {
		return this.evicted;
	}

	boolean canAcquire(String name) {
		AcquireCommand command = new AcquireCommand("2:operator", new LockRequest(LockType.REENTRANT, 1000, 1), false);
		return this.server.acquire(SimulatedClient.KEYS.lock(name), command, false, 0).holds();
	}

	/**
	 * Hears nothing.
	 */
	private static final class Deaf implements LockMessages {

		@Override
		public void granted(String key, String id, long leftMillis, long token, long last, boolean awaited) {
		}

		@Override
		public void awaited(String key, String id) {
		}

		@Override
		public void forced(String key, String id) {
		}

		@Override
		public void missedMessages() {
		}

	}

}
