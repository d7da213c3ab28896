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

package io.holdfast.lock;

/**
 * Is told what happens to the holds of a {@link LockClient}. Called on a thread of the
 * client that serves all its listeners and the actions of {@link Lease#onLost}, one after
 * another. So one that is slow delays those that come after it and what is told of later
 * losses of this client, and nothing else: no renewal, no caller, no other client. Have
 * it do long work on a thread of its own. While the client is open a notice is dropped
 * only where 10,000 others wait because a listener has not returned, with a warning; what
 * a listener throws is logged.
 */
@FunctionalInterface
public interface LockListener {

	/**
	 * A hold ended before it was released.
	 * @param loss which one and why
	 */
	void onLost(LockLoss loss);

}
