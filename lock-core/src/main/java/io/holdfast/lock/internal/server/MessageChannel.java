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

package io.holdfast.lock.internal.server;

import java.util.concurrent.Executor;

/**
 * How messages of a server reach this client.
 */
public interface MessageChannel {

	/**
	 * Subscribes, in the background and for as long as it takes.
	 */
	void open();

	/**
	 * Whether messages reach this client, as far as it knows.
	 */
	boolean hears();

	/**
	 * How often it was made.
	 */
	long subscriptions();

	/**
	 * Makes sure that messages arrive.
	 * @param waitedFor the key of a lock that somebody waits for
	 * @param executor where to ask the server
	 */
	void check(String waitedFor, Executor executor);

	/**
	 * Ends the subscription.
	 */
	void close();

}
