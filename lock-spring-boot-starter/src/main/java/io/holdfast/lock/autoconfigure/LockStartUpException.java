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

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootVersion;

/**
 * Thrown at start-up if locks cannot work as the application is configured, or as its
 * Redis is. Spring Boot's own exception for properties would not do: the analysis of that
 * prints the value as the application has set it, passwords included.
 */
public final class LockStartUpException extends IllegalStateException {

	/**
	 * What is wrong.
	 */
	private final String description;

	/**
	 * What to do about it.
	 */
	private final String action;

	/**
	 * Create the exception.
	 * @param description what is wrong with which property or Redis; no password
	 * @param action what to do about it
	 */
	public LockStartUpException(String description, String action) {
		this(description, action, null);
	}

	LockStartUpException(String description, String action, @Nullable Throwable cause) {
		super(description + " " + action, cause);
		this.description = description;
		this.action = action;
	}

	/**
	 * Builds a client.
	 * @throws LockStartUpException if a setting is wrong, or a library not supported
	 */
	static <T> T unlessBuilt(Supplier<T> builder) {
		try {
			return builder.get();
		}
		catch (UnsupportedOperationException ex) {
			throw new LockStartUpException(String.valueOf(ex.getMessage()),
					"Use Spring Boot 3.5, 4.0 or 4.1 with the versions that it manages; this is Spring Boot "
							+ SpringBootVersion.getVersion() + ".",
					ex);
		}
		catch (IllegalArgumentException ex) {
			throw new LockStartUpException(ex.getMessage() + ".",
					"Correct the connection factory, or what a LockClientCustomizer or " + LockProperties.PREFIX
							+ "* sets.",
					ex);
		}
	}

	String description() {
		return this.description;
	}

	String action() {
		return this.action;
	}

}
