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

/**
 * What a locked method does if a transaction is active already when it is called. A lock
 * that is released before the commit lets the next holder read what is not there yet. And
 * what the transaction, or its persistence context, has read before the lock was acquired
 * may be stale: only {@link #FAIL} rules that out.
 */
public enum ActiveTransaction {

	/**
	 * Release the lock after that transaction has completed.
	 */
	RELEASE_AFTER_COMPLETION,

	/**
	 * Log a warning, once for each method, and release the lock after that transaction
	 * has completed.
	 */
	WARN,

	/**
	 * Throw an exception and do not run the method. The same if an {@code EntityManager}
	 * of JPA is open on the thread ({@code spring.jpa.open-in-view}).
	 */
	FAIL

}
