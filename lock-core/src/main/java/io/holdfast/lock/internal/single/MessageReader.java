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

import io.holdfast.lock.internal.server.LimitedLog;
import io.holdfast.lock.internal.server.LockMessages;
import io.holdfast.lock.internal.server.LogText;

/**
 * Reads what scripts tell a client.
 */
final class MessageReader {

	private MessageReader() {
	}

	/**
	 * Reads a message and passes it on.
	 * @param warnings takes what cannot be read
	 * @throws RuntimeException if it is not as the scripts of this version write it
	 */
	static void read(String message, LockMessages messages, LimitedLog warnings) {
		int space = Math.max(message.indexOf(' '), 0);
		if (!message.substring(0, space).equals(LockScript.LAYOUT)) {
			warnings.warn("A message of another version of Holdfast was ignored, this client has layout "
					+ LockScript.LAYOUT + ". Bring the applications that share this key prefix to one version: "
					+ LogText.excerpt(message));
			return;
		}
		String text = message.substring(space + 1);
		String kind = text.substring(0, Math.max(text.indexOf(' '), 0));
		switch (kind) {
			case MessageKind.GRANTED -> {
				String[] words = text.split(" ", 7);
				messages.granted(words[6], words[1], Long.parseLong(words[4]), Long.parseLong(words[2]),
						Long.parseLong(words[3]), "1".equals(words[5]));
			}
			case MessageKind.AWAITED -> {
				String[] words = text.split(" ", 3);
				messages.awaited(words[2], words[1]);
			}
			case MessageKind.FORCED -> {
				String[] words = text.split(" ", 3);
				messages.forced(words[2], words[1]);
			}
			case MessageKind.ECHO -> {
				// That it arrived is all it says.
			}
			default -> warnings.debug("A message of a kind that this version does not know: " + text, null);
		}
	}

}
