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

import java.util.concurrent.CompletionStage;

/**
 * A handle that owns a lock, or several ({@link LockClient#acquire}). Whoever has this
 * object may close it, on any thread. When nobody has it any more, the lock is not
 * renewed and ends with its lease.
 */
public interface Lease extends LeaseView, AutoCloseable {

	/**
	 * Releases the lock. Closing again has no effect. Several locks are released even if
	 * one of them fails: that one's exception is thrown, with those of others suppressed,
	 * and a loss before a server without answer.
	 * @throws LockLostException if the lock was lost before
	 * @throws LockServerException if the server gave no answer. The client goes on trying
	 * in the background, and the hold ends with its lease at the latest.
	 */
	@Override
	void close();

	/**
	 * As {@link #close()}, without blocking the calling thread. The stage completes when
	 * that would have returned, or exceptionally with what it would have thrown. What
	 * depends on it runs where that of {@link LockClient#acquireAsync} does.
	 * @return the stage
	 */
	CompletionStage<Void> closeAsync();

}
