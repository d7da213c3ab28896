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

/**
 * What holds for every locked method that does not say otherwise.
 *
 * @param waitTime the longest wait for a lock
 * @param leaseTime how long a lock is held at most
 * @param activeTransaction what to do if a transaction is active already
 * @param onLostLock what happens to a commit under a lost lock
 * @param unguardedTransactions the names of the transactions that commit all the same,
 * with {@code *} as a wildcard
 * @param fences what else is asked before a method begins and before a commit
 */
public record LockSettings(Duration waitTime, Duration leaseTime, ActiveTransaction activeTransaction,
		OnLostLock onLostLock, List<String> unguardedTransactions, List<LockFence> fences) {
}
