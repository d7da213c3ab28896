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
 * What {@link LockOperations#execute} and {@link Leases#call} run under a lease.
 *
 * @param <T> the type of the result
 * @param <E> the type of the checked exceptions that it throws
 */
@FunctionalInterface
public interface LockedTask<T extends @Nullable Object, E extends Throwable> {

	/**
	 * Does the work.
	 * @param lease the lease: its token, and whether it was lost meanwhile
	 * @return the result
	 * @throws E what the work throws
	 */
	T run(LeaseView lease) throws E;

}
