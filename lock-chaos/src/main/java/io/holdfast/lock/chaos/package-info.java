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
 * Breaks what Holdfast runs on, and checks what it promised.
 * {@link io.holdfast.lock.chaos.Chaos} is the command. From the outside in:
 * <ul>
 * <li>A {@code Conductor} starts a server, client processes and the resource that they
 * write to, and lets faults happen, by a {@code Schedule} that a seed repeats. A
 * {@code Fault} is one way to break something.</li>
 * <li>A client process is {@code ClientMain}; its {@code Worker} threads take locks of a
 * {@code LockLibrary}, write to the resource and record what they see.</li>
 * <li>What processes record are {@code HistoryFile}s in memory that outlives them, on one
 * clock: {@link System#nanoTime()} is the same for all processes of a machine.</li>
 * <li>The {@code Checker} reads them as a {@code History} and looks for violations of
 * each {@code Property}. It knows nothing of how locks work.</li>
 * <li>{@code Mutants} are Holdfast with one mistake each, which the same run must
 * find.</li>
 * </ul>
 */
@NullMarked
package io.holdfast.lock.chaos;

import org.jspecify.annotations.NullMarked;
