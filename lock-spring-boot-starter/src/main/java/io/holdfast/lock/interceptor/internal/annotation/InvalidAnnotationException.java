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

package io.holdfast.lock.interceptor.internal.annotation;

import org.jspecify.annotations.Nullable;

/**
 * Thrown for an annotation that makes no sense. The caller knows the method and adds it.
 */
public final class InvalidAnnotationException extends RuntimeException {

	private final String problem;

	private final String action;

	public InvalidAnnotationException(String problem, String action) {
		this(problem, action, null);
	}

	InvalidAnnotationException(String problem, String action, @Nullable Throwable cause) {
		super(problem + " " + action, cause);
		this.problem = problem;
		this.action = action;
	}

	/**
	 * Returns what is wrong.
	 */
	public String problem() {
		return this.problem;
	}

	/**
	 * Returns what to do about it.
	 */
	public String action() {
		return this.action;
	}

}
