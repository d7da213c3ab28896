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

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.lock.internal.notice.LimitedLog;
import io.holdfast.lock.internal.protocol.LockMessages;
import io.holdfast.lock.internal.protocol.RequestIds;

/**
 * Reads what scripts send to clients. Anybody may publish anything on a channel.
 */
final class MessageReader {

	private final LimitedLog unread = new LimitedLog(MessageReader.class);

	private final LockMessages messages;

	/** How many echoes this client has asked for. */
	final AtomicLong echoes = new AtomicLong();

	MessageReader(LockMessages messages) {
		this.messages = messages;
	}

	void read(byte[] body) {
		String message = new String(body, StandardCharsets.UTF_8);
		try {
			read(message.split(" ", 3));
		}
		catch (RuntimeException ex) {
			this.unread.warn("A message was not understood. Find out who else publishes to the channels of Holdfast: "
					+ "%.200s".formatted(message));
			this.unread.debug("Why it was not understood", ex);
		}
	}

	private void read(String[] parts) {
		if (parts.length < 3 || !parts[0].equals(RequestIds.LAYOUT)) {
			this.unread.warn("A message of another version of Holdfast was ignored, this client has layout "
					+ RequestIds.LAYOUT + ". Bring the applications that share this key prefix to one version: "
					+ "%.200s".formatted(String.join(" ", parts)));
			return;
		}
		String[] words = parts[2].split(" ", parts[1].equals("granted") ? 6 : 2);
		switch (parts[1]) {
			case "granted" -> this.messages.granted(words[5], words[0], Long.parseLong(words[3]),
					Long.parseLong(words[1]), Long.parseLong(words[2]), words[4].equals("1"));
			case "awaited" -> this.messages.awaited(words[1], words[0]);
			case "forced" -> this.messages.forced(words[1], words[0]);
			case "echo" -> {
				if (Long.parseLong(words[0]) > this.echoes.get()) {
					this.unread
						.warn("Another process has the id of this client, unless somebody publishes to its channel by hand. If one is a "
								+ "copy of the other, as of a snapshot that was resumed twice, end one: what it held then, both believe to hold");
				}
			}
			default -> this.unread.debug("A message of a kind that this version does not know: " + parts[1], null);
		}
	}

}
