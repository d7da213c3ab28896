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

package io.holdfast.lock.annotation;

/**
 * What a {@link DistributedLock} does when another holder has the lock, or a
 * {@link DistributedLimit} when the limit has been reached, and the wait times out. A
 * failure of the server is never treated as contention: it is always thrown, unless a
 * fallback method takes that exception. Where there is a fallback method, it is called.
 */
public enum OnContention {

	/**
	 * Throw {@link io.holdfast.lock.LockNotAcquiredException}.
	 */
	THROW,

	/**
	 * Do not run the method and return {@code null}, an empty {@code Optional} (or
	 * {@code OptionalInt}, {@code OptionalLong}, {@code OptionalDouble}), or nothing for
	 * a {@code void} method; a stage completes with {@code null}, and a publisher is
	 * empty. A method that returns a primitive cannot be skipped and stops the
	 * application at start-up. Unless the annotation has a wait time, a call that is to
	 * be skipped makes one attempt and does not wait.
	 */
	SKIP

}
