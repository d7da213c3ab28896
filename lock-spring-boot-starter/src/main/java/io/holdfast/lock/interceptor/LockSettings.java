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

import java.time.Duration;
import java.util.List;

import io.holdfast.lock.LockOptions;

/**
 * What holds for every locked method that does not say otherwise. Each setting has a
 * default, also those that later versions add. Asked for on the threads of all callers.
 */
public interface LockSettings {

	/**
	 * Returns the longest wait for a lock. Default 10 s.
	 * @return the wait; not negative
	 */
	default Duration waitTime() {
		return Duration.ofSeconds(10);
	}

	/**
	 * Returns how long a lock is held at most. Default {@link LockOptions#WATCHDOG}.
	 * @return the lease
	 */
	default Duration leaseTime() {
		return LockOptions.WATCHDOG;
	}

	/**
	 * Returns what to do if a transaction is active already. Default
	 * {@link ActiveTransaction#RELEASE_AFTER_COMPLETION}.
	 * @return what to do
	 */
	default ActiveTransaction activeTransaction() {
		return ActiveTransaction.RELEASE_AFTER_COMPLETION;
	}

	/**
	 * Returns what happens to a commit under a lost lock. Default
	 * {@link OnLostLock#REFUSE_COMMIT}.
	 * @return what happens
	 */
	default OnLostLock onLostLock() {
		return OnLostLock.REFUSE_COMMIT;
	}

	/**
	 * Returns which transactions commit all the same. Default none.
	 * @return their names, with {@code *} as a wildcard
	 */
	default List<String> unguardedTransactions() {
		return List.of();
	}

}
