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

import io.holdfast.lock.internal.server.ReleaseCommand;
import org.jspecify.annotations.Nullable;

/**
 * A release to send.
 *
 * @param entry what it is about
 * @param command what to send
 * @param heldUntilNanos when the hold ends if the server is not told
 */
public record Release(QueueEntry entry, ReleaseCommand command, long heldUntilNanos) {

	/**
	 * The key of the lock.
	 */
	public String key() {
		return this.entry.lock.key();
	}

	/**
	 * What came of giving a grant back.
	 *
	 * @param release what to send, or {@code null}
	 * @param passedOn whether another caller of this client has the lock now
	 */
	public record Result(@Nullable Release release, boolean passedOn) {

		static final Result NOTHING = new Result(null, false);

		static final Result PASSED_ON = new Result(null, true);

	}

}
