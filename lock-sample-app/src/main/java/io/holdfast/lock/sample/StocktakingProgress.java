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

package io.holdfast.lock.sample;

import org.jspecify.annotations.Nullable;

/**
 * How far a stocktaking has come.
 *
 * @param id its number
 * @param shelves how many shelves there are
 * @param counted how many of them are counted
 * @param units how many units lay on those
 * @param token the fencing token of whoever counted last
 * @param port the port of the instance that counted last
 * @param pid the process id of that instance
 */
record StocktakingProgress(long id, int shelves, int counted, long units, long token, @Nullable Integer port,
		@Nullable Long pid) {

	boolean isFinished() {
		return this.counted == this.shelves;
	}

}
