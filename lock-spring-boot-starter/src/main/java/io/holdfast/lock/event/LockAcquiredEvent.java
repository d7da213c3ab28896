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

package io.holdfast.lock.event;

import java.time.Duration;

import io.holdfast.lock.LockType;

/**
 * An application event: a caller got a lock that it did not hold. There is one for each
 * of several locks that are acquired together, and none for an owner that acquires its
 * lock once more. Published on the thread of the caller, which waits for its listeners.
 *
 * @param name the lock's name
 * @param type the order for which the caller asked
 * @param waited how long that took
 */
public record LockAcquiredEvent(String name, LockType type, Duration waited) {
}
