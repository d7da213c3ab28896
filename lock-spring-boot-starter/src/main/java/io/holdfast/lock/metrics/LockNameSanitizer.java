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

/**
 * Says how much of a lock's name traces show: it may have data of users in it. The
 * default shows what the endpoint {@code locks} shows to everybody.
 */
@FunctionalInterface
public interface LockNameSanitizer {

	/**
	 * Returns what others may see. Asked on the threads of callers, so it must be quick
	 * and should not throw, which masks the name.
	 * @param lockName the lock's name
	 * @return the name, or what stands for it
	 */
	String sanitize(String lockName);

}
