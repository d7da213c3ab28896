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

package io.holdfast.lock.autoconfigure;

/**
 * Thrown at start-up if a Redis does not let the application do what locks need.
 */
final class LocksRefusedException extends IllegalStateException {

	private final String description;

	private final String action;

	/**
	 * Create the exception.
	 * @param description which Redis refused what
	 * @param action what to do about it
	 */
	LocksRefusedException(String description, String action, Throwable cause) {
		super(description + " " + action, cause);
		this.description = description;
		this.action = action;
	}

	String description() {
		return this.description;
	}

	String action() {
		return this.action;
	}

}
