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
 * Drives the engine: the threads of a client, the calls of those who block, for one lock
 * or for several at once, what is sent for them, and the views that users get. Also what
 * people read of that: the texts of errors, and the logs of outages, leaks, deadlocks,
 * and holds and waits that last too long.
 * {@link io.holdfast.lock.internal.client.LockRuntime} is the way in.
 * <p>
 * Internal: no API, only for Holdfast's own jars.
 */
@NullMarked
package io.holdfast.lock.internal.client;

import org.jspecify.annotations.NullMarked;
