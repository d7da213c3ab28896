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

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import org.jspecify.annotations.Nullable;

/**
 * Is told what happens to the locks of a client, for metrics and traces. Called outside
 * of all monitors, on the thread of the caller, of a renewal or of the notifier; returns
 * at once and throws nothing. Costs nothing where nobody listens.
 */
public interface LockEvents {

	/** Nobody listens. */
	LockEvents NONE = new LockEvents() {
	};

	/**
	 * A caller wants a lock that it does not hold.
	 */
	default void asked(String name, LockType type) {
	}

	/**
	 * A caller got the lock.
	 * @param passedOn whether another caller of this client passed it on, without a
	 * command
	 */
	default void granted(String name, LockType type, long waitedNanos, boolean passedOn) {
	}

	/**
	 * A caller did not get the lock.
	 * @param reason why; {@code null} if another holds it
	 */
	default void refused(String name, LockType type, long waitedNanos, @Nullable LockServerException reason) {
	}

	/**
	 * A hold or a place was renewed.
	 */
	default void renewed(String name, LockType type) {
	}

	/**
	 * A renewal got no answer and is tried again.
	 */
	default void renewalFailed(String name, LockType type, LockServerException reason) {
	}

	/**
	 * An owner lost the lock.
	 */
	default void lost(LockLoss loss) {
	}

	/**
	 * An owner gave the lock back.
	 * @param passedOn whether another caller of this client has it now, without a command
	 * @param reason why the server did not take it; {@code null} if it did
	 */
	default void released(String name, LockType type, long heldNanos, boolean passedOn,
			@Nullable LockServerException reason) {
	}

}
