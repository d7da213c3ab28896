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

package io.holdfast.lock.chaos;

import java.time.Duration;
import java.util.Random;

/**
 * Lets one fault happen, from its beginning to its end.
 */
@FunctionalInterface
interface Nemesis {

	/**
	 * Strikes.
	 * @param clients who suffers
	 * @param random its choices
	 * @param marker to be told, once, when something is about to break
	 * @throws InterruptedException if the run ends
	 */
	void strike(Clients clients, Random random, Marker marker) throws InterruptedException;

	/**
	 * Sleeps for a time within bounds.
	 */
	static void last(Random random, Duration shortest, Duration longest) throws InterruptedException {
		Thread.sleep(shortest.toMillis() + random.nextInt((int) longest.minus(shortest).toMillis() + 1));
	}

	/**
	 * Is told what begins to break.
	 */
	interface Marker {

		/**
		 * From now on it is broken.
		 * @param process which client it strikes, or 0 for all
		 */
		void begins(int process);

	}

}
