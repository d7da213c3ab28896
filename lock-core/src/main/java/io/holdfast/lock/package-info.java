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

/**
 * Distributed locks: the types that applications import.
 * <p>
 * Start with {@link io.holdfast.lock.LockClient}. It gives a
 * {@link io.holdfast.lock.LeaseLock} by name, which is a
 * {@link java.util.concurrent.locks.Lock} that a thread owns, or a
 * {@link io.holdfast.lock.Lease}, which is a handle that whoever has it owns. An
 * annotated method finds its lease with {@link io.holdfast.lock.Leases}.
 * {@link io.holdfast.lock.LockObserver} is told what happens to locks,
 * {@link io.holdfast.lock.LockClientHealth} how the client is, and
 * {@link io.holdfast.lock.LockDirectory} who holds and waits.
 * <h2>What holding a lock promises</h2> A hold excludes every other live, well-timed
 * client for as long as {@link io.holdfast.lock.LeaseView#isValid()} answers
 * {@code true}. The client stops believing in its hold no later than the server does,
 * because it counts from before the request was sent and by its own monotonic clock.
 * <h2>What it cannot promise</h2> A process may be paused between looking at its lease
 * and writing to the guarded resource, and a Redis replica may be promoted without having
 * seen the latest grant. Give the fencing token to the resource and let it refuse smaller
 * ones where a late writer would do harm.
 *
 * @serial exclude
 */
@NullMarked
package io.holdfast.lock;

import org.jspecify.annotations.NullMarked;
