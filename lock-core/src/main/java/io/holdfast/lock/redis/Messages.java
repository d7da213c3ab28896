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

package io.holdfast.lock.redis;

import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.internal.server.LockMessages;

/**
 * Hands the messages of subscriptions to the contenders that they are about.
 */
final class Messages implements LockMessages {

	private final Locks locks;

	Messages(Locks locks) {
		this.locks = locks;
	}

	@Override
	public void granted(String key, String id, long leftMillis, long token, long last, boolean awaited) {
		boolean known = deliver(key, id,
				(contender, now) -> contender.handedOver(leftMillis, token, last, awaited, now));
		if (!known) {
			this.locks.leftovers.add(key, id);
		}
	}

	@Override
	public void awaited(String key, String id) {
		deliver(key, id, Contender::awaited);
	}

	@Override
	public void forced(String key, String id) {
		deliver(key, id, (contender, now) -> this.locks.lose(contender, Cause.FORCED, now));
	}

	@Override
	public void missedMessages() {
		for (LocalLock lock : this.locks.all()) {
			synchronized (lock) {
				long now = this.locks.now();
				lock.contenders().forEach((contender) -> contender.missedMessages(now));
			}
		}
	}

	/**
	 * Lets the contender of a request handle a message.
	 * @return whether there is one
	 */
	private boolean deliver(String key, String id, Handler handler) {
		LocalLock lock = this.locks.find(this.locks.settings.keys().nameOf(key));
		if (lock == null) {
			return false;
		}
		synchronized (lock) {
			Contender contender = lock.find(id);
			if (contender != null) {
				handler.handle(contender, this.locks.now());
			}
			return contender != null;
		}
	}

	/**
	 * What a message changes.
	 */
	private interface Handler {

		void handle(Contender contender, long nowNanos);

	}

}
