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

package io.holdfast.lock;

import org.jspecify.annotations.Nullable;

/**
 * Something went wrong with a lock.
 */
public abstract class LockException extends RuntimeException {

	private final String lockName;

	LockException(String lockName, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.lockName = lockName;
	}

	/**
	 * Returns the name of the lock.
	 * @return the name; empty if the call was for no certain lock
	 */
	public String lockName() {
		return this.lockName;
	}

}
