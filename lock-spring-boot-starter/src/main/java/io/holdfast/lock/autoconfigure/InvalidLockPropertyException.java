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
 * Thrown at start-up if a property has a value that it cannot have. Spring Boot's own
 * exception would not do: the analysis of that prints the value as the application has
 * set it, passwords included.
 */
final class InvalidLockPropertyException extends IllegalStateException {

	private final String description;

	private final String action;

	/**
	 * Create the exception.
	 * @param description which property, and what is wrong with it; no password
	 * @param action what to do about it
	 */
	InvalidLockPropertyException(String description, String action) {
		super(description + " " + action);
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
