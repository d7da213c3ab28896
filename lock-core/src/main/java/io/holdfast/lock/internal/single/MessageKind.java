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

/**
 * The kinds of messages, which {@link MessageReader} reads. The kind is the first word of
 * a message behind its layout, and a blank ends it even where no words follow.
 */
final class MessageKind {

	/** Written by {@code mutex.lua}. */
	static final String GRANTED = "granted";

	/** Written by {@code mutex-acquire-step.lua} and {@code mutex-vote.lua}. */
	static final String AWAITED = "awaited";

	/** Written by {@code mutex-evict.lua}. */
	static final String FORCED = "forced";

	/** Written by {@code mutex-echo.lua}. It has no words. */
	static final String ECHO = "echo";

	private MessageKind() {
	}

}
