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

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockType;

/**
 * An application event: an owner gave a lock back, for the last time if it had acquired
 * it several times; also if Redis did not answer: the lock then ends with its lease.
 * There is none for a lock that was lost, but a {@link LockLoss}. Published on the thread
 * that gave it back, which waits for its listeners; another owner may have the lock by
 * then.
 *
 * @param name the lock's name
 * @param type the order for which the owner had asked
 * @param held how long the owner had it
 */
public record LockReleasedEvent(String name, LockType type, Duration held) {
}
