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

/**
 * A property that did not hold.
 *
 * @param property which one
 * @param lock number of the lock
 * @param at when it shows
 * @param what who did what
 */
record Violation(Property property, long lock, long at, String what) {

	@Override
	public String toString() {
		return this.property + " lock " + Long.toHexString(this.lock) + " at " + this.at + ": " + this.what;
	}

}
