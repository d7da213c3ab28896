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

import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.Renewal;

/**
 * What a caller that wants a lock has to do next.
 */
public sealed interface Step {

	/**
	 * Send this and hand the answer to the engine.
	 *
	 * @param command what to send
	 */
	record Ask(AcquireCommand command) implements Step {
	}

	/**
	 * Have the hold confirmed before it is used, and hand the answer to the engine.
	 *
	 * @param renewal what to send
	 */
	record Confirm(Renewal renewal) implements Step {
	}

	/**
	 * Wait until woken, but no longer than this.
	 *
	 * @param nanos how long; more than zero
	 */
	record Sleep(long nanos) implements Step {
	}

	/**
	 * Leave, with a grant or without.
	 */
	record Leave() implements Step {
	}

}
