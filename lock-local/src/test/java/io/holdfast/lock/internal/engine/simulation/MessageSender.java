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

import java.util.function.Consumer;

import io.holdfast.lock.internal.server.LockMessages;

/**
 * Puts messages on their way.
 */
record MessageSender(Simulation simulation, SimulatedClient client) implements LockMessages {

	@Override
	public void granted(String key, String id, long leftMillis, long token, long last, boolean awaited) {
		send("granted " + id + " " + token, (to) -> to.granted(key, id, leftMillis, token, last, awaited));
	}

	@Override
	public void awaited(String key, String id) {
		send("awaited " + id, (to) -> to.awaited(key, id));
	}

	@Override
	public void forced(String key, String id) {
		String lock = SimulatedClient.KEYS.nameOf(key);
		long[] tokens = this.simulation.operator().evicted();
		send("forced " + id, (to) -> {
			to.forced(key, id);
			this.simulation.referee().heardForced(this.client, lock, tokens);
		});
	}

	@Override
	public void missedMessages() {
		throw new IllegalStateException("No server says that");
	}

	private void send(String what, Consumer<LockMessages> message) {
		this.simulation.network().deliver(this.client, what, message);
	}

}
