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

import java.util.concurrent.Executor;

import io.holdfast.lock.LockServerException;
import org.jspecify.annotations.Nullable;

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
	 * Asks the server for the session of this client. Blocks.
	 * @return what follows the client where a hold is tied to it; {@code null} if the
	 * server does not see it, or this channel has none
	 * @throws LockServerException if there is no answer
	 */
	@Nullable String session();

	/**
	 * Looks after the owners of a lock for which this client waits. If one of them is
	 * dead, it loses the lock after the grace of its session, at a later look or command.
	 * Blocks.
	 * @return after how many milliseconds to look again
	 * @throws LockServerException if there is no answer
	 */
	long look(String key);

	/**
	 * Ends the subscription.
	 */
	void close();

}
