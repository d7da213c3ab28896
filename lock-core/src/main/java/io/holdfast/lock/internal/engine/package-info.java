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
 * Who waits, who holds, who is next, what is believed: a state machine on a clock,
 * without I/O and without blocking. {@link io.holdfast.lock.internal.engine.LockEngine}
 * is the way in, for messages and for time, too. The class comment of
 * {@link io.holdfast.lock.internal.engine.QueueEntry} has the algorithm, why it is right,
 * and which races remain. A {@code LocalLock} is all that this client knows of one name
 * while it is used; a {@code QueueEntry} is one request of this client in Redis, with the
 * {@code WaitQueue} of its waiters and the {@code Hold} that it may have; the
 * {@code Schedule} says when the watchdog has to look at it. {@code Deadlocks} finds
 * threads that wait for each other, {@code TooLong} holds and waits over a threshold.
 * <p>
 * Internal: no API, only for Holdfast's own jars.
 */
@NullMarked
package io.holdfast.lock.internal.engine;

import org.jspecify.annotations.NullMarked;
