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

package io.holdfast.lock.internal.client;

import java.util.function.BiFunction;

import io.holdfast.lock.internal.engine.Effects;
import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.protocol.LockMessages;
import io.holdfast.lock.internal.protocol.Reply;

/**
 * Takes messages to the locks that they are about, on the thread that brings them. What
 * there is to send for them is sent by workers.
 *
 * @param runtime the client
 */
record Messages(LockRuntime runtime) implements LockMessages {

	@Override
	public void granted(String key, String id, long leftMillis, long token, long last, boolean awaited) {
		Reply message = new Reply(Reply.Word.HOLDS, leftMillis, token, last, awaited, 0, null);
		tell(key, (state, now) -> state.granted(id, message, now));
	}

	@Override
	public void awaited(String key, String id) {
		tell(key, (state, now) -> state.awaited(id, now));
	}

	@Override
	public void forced(String key, String id) {
		tell(key, (state, now) -> state.forced(id, now));
	}

	private void tell(String key, BiFunction<LockState, Long, Effects> message) {
		LockState state = this.runtime.stateOf(key);
		this.runtime.performer.performElsewhere(this.runtime.performer.on(state, (now) -> message.apply(state, now)));
	}

	@Override
	public void missedMessages() {
		this.runtime.watchdog.missedMessages();
	}

}
