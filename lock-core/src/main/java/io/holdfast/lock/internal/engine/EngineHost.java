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

import java.util.concurrent.ThreadLocalRandom;

import io.holdfast.lock.internal.server.RequestIds;

/**
 * What the engine asks of the world around it: time, chance, and whom to tell. All
 * methods may be called inside the monitor of a lock, so they return at once; those that
 * return nothing throw nothing.
 */
public interface EngineHost {

	/**
	 * The monotonic clock.
	 */
	long nanoTime();

	/**
	 * Draws a number of at least the origin and below the bound.
	 */
	default long random(long origin, long bound) {
		return ThreadLocalRandom.current().nextLong(origin, bound);
	}

	/**
	 * Draws the id of a request, which no other one has, here or elsewhere.
	 */
	default String nextRequestId() {
		return RequestIds.next();
	}

	/**
	 * Whether messages reach this client.
	 */
	boolean hearsMessages();

	/**
	 * Takes a loss to tell of.
	 */
	void lost(LossNotice notice);

	/**
	 * Takes something unexpected to tell of. What it hit has ended.
	 */
	void failed(Throwable thrown);

	/**
	 * Has {@link EngineTime#look} called soon: something is due earlier than it said.
	 */
	void wakeWatchdog();

}
