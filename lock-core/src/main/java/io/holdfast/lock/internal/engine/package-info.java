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
 * Who waits for a lock in this client, who holds it, who is next, and what this client
 * believes: one state machine for every kind of lock. No I/O, no thread, no log, no
 * foreign code. Each input of {@link io.holdfast.lock.internal.engine.LockState} records
 * a fact, then draws all conclusions in one monitor, and returns what is to be done.
 */
@NullMarked
package io.holdfast.lock.internal.engine;

import org.jspecify.annotations.NullMarked;
