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

package io.holdfast.lock.benchmarks;

import io.holdfast.lock.benchmarks.libraries.Library.Session;

/**
 * One question that is asked of each library.
 */
interface Scenario {

	/**
	 * The name by which it is chosen.
	 */
	String name();

	/**
	 * Asks, with the help of workers, and says what came out.
	 */
	Results run(Lab lab);

	/**
	 * One worker's part.
	 * @param session the library
	 * @param journal for the owners of a hot lock, shared by all workers of a crew
	 * @param job what {@link Crew#run} was given, and {@code process}, the worker's
	 * number
	 * @return the answer
	 */
	default Numbers work(Session session, Journal journal, Numbers job) {
		throw new UnsupportedOperationException(name() + " has no workers");
	}

}
