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

package io.holdfast.lock.internal.driver;

/**
 * A connection ended before its answer came, so what was sent may have taken effect.
 */
public final class MaybeSentException extends RuntimeException {

	private final boolean repeatable;

	/**
	 * Create the exception.
	 * @param cause what the driver threw
	 * @param repeatable whether the next connection is another one, so that it makes
	 * sense to send it again
	 */
	public MaybeSentException(Throwable cause, boolean repeatable) {
		super(cause);
		this.repeatable = repeatable;
	}

	/**
	 * Whether it makes sense to send it again.
	 * @return whether it does
	 */
	public boolean isRepeatable() {
		return this.repeatable;
	}

}
