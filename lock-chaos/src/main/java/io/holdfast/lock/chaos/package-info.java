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
 * <li><b>A run</b> ({@code Plan}, {@code Conditions}): the {@code Conductor} starts
 * {@code Servers} of a {@code Topology}, {@code Clients}, and the {@code Resource} that
 * these write to. {@code Report} prints the result.</li>
 * <li><b>Faults</b>: a {@code Fault} is one way to break something; a {@code Nemesis}
 * makes it happen, to a client ({@code ClientNemeses}) or to a server
 * ({@code ServerNemeses}). A {@code Schedule} says when, by a seed.</li>
 * <li><b>Calls</b>: a client process ({@code ClientMain}, started by its
 * {@code ClientSetup}) opens a {@code Session} of the {@code Library} under test. Each of
 * its {@code Worker} threads lets its {@code Workload} choose a {@code LockRequest},
 * acquires, writes to the resource and releases.</li>
 * <li><b>Records</b>: each process has a {@code Recorder}, which writes a
 * {@code HistoryFile} in memory that outlives it, on one clock: {@link System#nanoTime()}
 * is the same for all processes of a machine. Beside what workers see,
 * {@code StallDetector} and {@code FailoverDetector} record what nobody has ordered, and
 * {@code ServerInspector} what the servers know.</li>
 * <li><b>Checks</b>: the {@code Checker} and its {@code TokenCheck}, {@code WaitCheck}
 * and {@code SingleCheck} read them as a {@code History} and look for violations of each
 * {@code Property}, by the times of {@code Promises}; {@code FaultWindows} tells what
 * must hold then. They know nothing of how locks work.</li>
 * <li><b>Mutants</b>: {@code Mutants} are Holdfast with one mistake each, which the same
 * run must find.</li>
 * </ul>
 */
@NullMarked
package io.holdfast.lock.chaos;

import org.jspecify.annotations.NullMarked;
