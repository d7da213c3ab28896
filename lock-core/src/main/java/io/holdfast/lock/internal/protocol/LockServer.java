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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.holdfast.lock.LockServerException;

/**
 * The port to where locks are kept. Each future completes within the command time-out,
 * with a reply or a {@link LockServerException}, maybe in a {@code CompletionException},
 * and with nothing else; where the server {@link #blocks}, it is done when the method
 * returns, and the exception is there itself. Nothing throws. Thread-safe.
 */
public interface LockServer {

	/**
	 * The node if there is but one.
	 */
	String ONLY_NODE = "";

	/**
	 * Sends one command.
	 * @return how its request stands, or that it is not known
	 */
	CompletableFuture<Reply> send(Command command);

	/**
	 * Sends renewals, and releases without a next request, that nobody waits for:
	 * together, and on connections of their own, where an answer may take longer. All
	 * their locks are on one node.
	 * @return the outcomes, in the same order
	 */
	List<CompletableFuture<Reply>> sendTogether(List<? extends Command> commands);

	/**
	 * The node that has a lock, as far as is known; asks nobody.
	 */
	default String nodeOf(String key) {
		return ONLY_NODE;
	}

	/**
	 * Whether requests wait in a queue of the server. If not, only exclusive locks in
	 * default order exist.
	 */
	default boolean queues() {
		return true;
	}

	/**
	 * Whether to send takes the calling thread until the answer is there.
	 */
	default boolean blocks() {
		return false;
	}

	/**
	 * How long a command of a caller waits for its answer at most.
	 */
	Duration commandTimeout();

	/**
	 * What operators ask and do.
	 */
	ServerDirectory directory();

	/**
	 * Ends what it does in the background. Releases that are sent later still go.
	 */
	void close();

}
