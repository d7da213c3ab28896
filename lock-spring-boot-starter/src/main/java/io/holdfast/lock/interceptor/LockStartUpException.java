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

package io.holdfast.lock.interceptor;

import java.lang.reflect.Method;

import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.jspecify.annotations.Nullable;

/**
 * Thrown at start-up if locks cannot work as the application is configured, or as its
 * Redis is, or if a method with
 * {@link io.holdfast.lock.annotation.DistributedLock @DistributedLock} could not be
 * locked as it asks for. Spring Boot's own exception for properties would not do: the
 * analysis of that prints the value as the application has set it, passwords included.
 */
public final class LockStartUpException extends RuntimeException {

	private final String description;

	private final String action;

	/**
	 * Create the exception.
	 * @param description what is wrong with which property, Redis or method; no password
	 * @param action what to do about it
	 */
	public LockStartUpException(String description, String action) {
		this(description, action, null);
	}

	/**
	 * Create the exception.
	 * @param description what is wrong with which property, Redis or method; no password
	 * @param action what to do about it
	 * @param cause how it showed
	 */
	public LockStartUpException(String description, String action, @Nullable Throwable cause) {
		super(description + " " + action, cause);
		this.description = description;
		this.action = action;
	}

	/**
	 * Creates the exception for a method.
	 * @param method the method
	 * @param problem what is wrong with it
	 * @param action what to do about it
	 * @return the exception
	 */
	public static LockStartUpException of(Method method, String problem, String action) {
		return of(method, problem, action, null);
	}

	static LockStartUpException of(Method method, String problem, String action, @Nullable Throwable cause) {
		return new LockStartUpException(LockedMethod.describeAnnotation(method) + ": " + problem, action, cause);
	}

	/**
	 * Returns what is wrong.
	 * @return the description
	 */
	public String description() {
		return this.description;
	}

	/**
	 * Returns what to do about it.
	 * @return the action
	 */
	public String action() {
		return this.action;
	}

}
