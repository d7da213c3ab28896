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
 * What happens to a transaction that is about to commit while its thread runs under a
 * lock that is lost. In either case the call of the locked method ends with a
 * {@link io.holdfast.lock.LockLostException}.
 */
public enum OnLostLock {

	/**
	 * Refuse the commit: the transaction rolls back.
	 */
	REFUSE_COMMIT,

	/**
	 * Log a warning and let the transaction commit.
	 */
	REPORT

}
