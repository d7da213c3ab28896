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

package io.holdfast.lock.internal.server;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * What came of a call: a value or a failure.
 *
 * @param <T> the type of the value
 * @param value what was made of the answer
 * @param failure why there is none
 */
public record Outcome<T>(@Nullable T value, @Nullable LockServerException failure) {

	/**
	 * Whether the server did not answer, so that the outcome is unknown.
	 */
	public boolean isUnanswered() {
		return this.failure != null && isUnanswered(this.failure);
	}

	/**
	 * Whether a call failed because the server did not answer.
	 */
	public static boolean isUnanswered(LockServerException failure) {
		return failure.reason() == Reason.TIMED_OUT || failure.reason() == Reason.UNREACHABLE;
	}

}
