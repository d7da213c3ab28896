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

/**
 * What {@link LockOperations#executeWithoutResult} runs while the current thread holds a
 * lock.
 *
 * @param <E> the type of the checked exceptions that it throws
 */
@FunctionalInterface
public interface LockedAction<E extends Throwable> {

	/**
	 * Does the work.
	 * @param lease what the thread holds: its token, and whether it was lost meanwhile
	 * @throws E what the work throws; the lock is released
	 */
	void run(LeaseView lease) throws E;

}
