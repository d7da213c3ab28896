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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.holdfast.lock.internal.server.LockMessages;
import io.holdfast.lock.internal.server.ServerSettings;

/**
 * One call of a client, during which the clock stands still. Collects what clients are to
 * be told of it. Not thread-safe.
 */
public final class MemoryCall {

	private final ServerSettings settings;

	private final long micros;

	private final long sentNanos;

	private final List<Message> messages = new ArrayList<>(1);

	/**
	 * Begin a call.
	 * @param settings whose call it is
	 * @param micros the server's time
	 * @param sentNanos the client's monotonic time
	 */
	public MemoryCall(ServerSettings settings, long micros, long sentNanos) {
		this.settings = settings;
		this.micros = micros;
		this.sentNanos = sentNanos;
	}

	String client() {
		return this.settings.clientId();
	}

	long timeoutMillis() {
		return this.settings.waiterTimeout().toMillis();
	}

	long retentionMillis() {
		return this.settings.tokenRetention().toMillis();
	}

	long micros() {
		return this.micros;
	}

	long millis() {
		return TimeUnit.MICROSECONDS.toMillis(this.micros);
	}

	long sentNanos() {
		return this.sentNanos;
	}

	void tell(String client, Consumer<LockMessages> message) {
		this.messages.add(new Message(client, message));
	}

	/**
	 * What to tell whom when the call is over, in order.
	 */
	public List<Message> messages() {
		return this.messages;
	}

	/**
	 * A message.
	 *
	 * @param client whom to tell
	 * @param content what to tell
	 */
	public record Message(String client, Consumer<LockMessages> content) {
	}

}
