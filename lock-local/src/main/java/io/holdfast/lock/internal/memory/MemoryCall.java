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

package io.holdfast.lock.internal.memory;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.holdfast.lock.internal.protocol.LockMessages;

/**
 * One call of a client, during which the clock stands still.
 *
 * @param client who calls
 * @param timeoutMillis how long a waiter's place lasts without renewal
 * @param retentionMillis how long a lock is remembered after its use
 * @param micros the server's time
 * @param nanos the client's monotonic time
 * @param messages what clients are to be told when it is over, in order
 * @param told requests of which they are told that they hold, and whether others wait
 */
record MemoryCall(String client, long timeoutMillis, long retentionMillis, long micros, long nanos,
		List<Message> messages, Set<String> told) {

	long millis() {
		return TimeUnit.MICROSECONDS.toMillis(this.micros);
	}

	void tell(String client, Consumer<LockMessages> message) {
		this.messages.add(new Message(client, message));
	}

	/**
	 * A message.
	 *
	 * @param client whom to tell
	 * @param content what to tell
	 */
	record Message(String client, Consumer<LockMessages> content) {
	}

}
