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

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.server.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * Where a caller stands that wants a lock.
 */
public sealed interface Entrance {

	/**
	 * It holds the lock already, but not for as long as it wants.
	 *
	 * @param grant what it has
	 * @param renewal the renewal to send before the re-entry counts
	 */
	record Reentered(Grant grant, Renewal renewal) implements Entrance {
	}

	/**
	 * It waits and has to ask for its next {@link Step}.
	 */
	record Joined() implements Entrance {
	}

	/**
	 * Others of this client have the lock or are before it, and it does not wait.
	 *
	 * @param failure why the server does not answer them, or {@code null} if it does
	 */
	record Refused(@Nullable LockServerException failure) implements Entrance {
	}

}
