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

package io.holdfast.lock.metrics;

import org.jspecify.annotations.Nullable;

/**
 * Maps a lock name to its metrics name when the caller gave none
 * ({@link io.holdfast.lock.LockOptions#named}). The application may have one as a bean.
 * Asked on the thread of each such caller, so it must be quick and must not throw.
 */
@FunctionalInterface
public interface LockNameRule {

	/**
	 * Names no lock.
	 */
	LockNameRule NONE = (lockName) -> null;

	/**
	 * Returns what a lock is called in metrics.
	 * @param lockName the lock's name, such as {@code order:4711}
	 * @return one of a small, fixed set, such as {@code order}; {@code null} for none
	 */
	@Nullable String declaredName(String lockName);

}
