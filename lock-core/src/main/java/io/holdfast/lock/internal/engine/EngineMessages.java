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

import java.util.function.Consumer;

import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.internal.server.LockMessages;

/**
 * The inputs of the engine that come by message. Thread-safe.
 */
final class EngineMessages implements LockMessages {

	private final EngineContext context;

	EngineMessages(EngineContext context) {
		this.context = context;
	}

	@Override
	public void granted(String key, String id, long leftMillis, long token, long last, boolean awaited) {
		boolean known = deliver(key, id,
				(entry) -> entry.asking.handedOver(leftMillis, token, last, awaited, this.context.now()));
		if (!known) {
			this.context.pendingReleases.add(key, id, this.context.now());
		}
	}

	@Override
	public void awaited(String key, String id) {
		deliver(key, id, (entry) -> entry.holding.awaited(this.context.now()));
	}

	@Override
	public void forced(String key, String id) {
		deliver(key, id, (entry) -> entry.holding.lose(Cause.FORCED, this.context.now()));
	}

	/**
	 * Only leaves word for the next look: a thread of a driver may call this, which
	 * others need, and there may be many locks.
	 */
	@Override
	public void missedMessages() {
		this.context.missedMessages.set(true);
		this.context.host.wakeWatchdog();
	}

	/**
	 * Has the entry of a request handle a message.
	 * @return whether there is one
	 */
	private boolean deliver(String key, String id, Consumer<QueueEntry> message) {
		return this.context.find(key, id, (entry) -> {
			message.accept(entry);
			return entry;
		}) != null;
	}

}
