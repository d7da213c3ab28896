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

package io.holdfast.lock.internal.protocol;

import java.util.function.Consumer;

/**
 * Messages as texts, worded as on their way through Redis.
 *
 * @param heard who takes them
 */
public record TextMessages(Consumer<String> heard) implements LockMessages {

	@Override
	public void granted(String key, String id, long leftMillis, long token, long last, boolean awaited) {
		this.heard.accept(
				"granted " + id + " " + token + " " + last + " " + leftMillis + " " + (awaited ? 1 : 0) + " " + key);
	}

	@Override
	public void awaited(String key, String id) {
		this.heard.accept("awaited " + id + " " + key);
	}

	@Override
	public void forced(String key, String id) {
		this.heard.accept("forced " + id + " " + key);
	}

	@Override
	public void missedMessages() {
		this.heard.accept("missed");
	}

}
