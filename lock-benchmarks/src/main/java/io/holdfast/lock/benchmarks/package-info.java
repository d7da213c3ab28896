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
 * Measures lock libraries beside each other on one Redis.
 * {@link io.holdfast.lock.benchmarks.Benchmarks} is the command;
 * {@link io.holdfast.lock.benchmarks.ScriptCost} is another, for the scripts alone. From
 * the outside in:
 * <ul>
 * <li><b>Questions</b>: a {@code Scenario} is one question and one file: {@code run} asks
 * it of each library and fills {@code Results}, {@code work} is what the processes do
 * that it starts for this. {@code Scenarios} names all. Those about Holdfast alone
 * ({@code Growth}, {@code ManyClients}) have {@code Clients} of ours in this process;
 * those that take less than a call to Redis run by {@code Jmh}.</li>
 * <li><b>The laboratory</b>: {@code Lab} is what a scenario works with: the libraries,
 * and a {@code Crew} of {@code Worker} processes ({@code Children}) with a
 * {@code RedisServer}, new for each library and round. They are told and answer
 * {@code Numbers}.</li>
 * <li><b>What is measured</b>: {@code CrewUsage} is what workers and Redis have used,
 * {@code ServerUsage} what Redis alone has; {@code Heap} and {@code Profile} look into
 * one process. {@code Journal} is a file in the memory of all processes into which each
 * owner of the hot lock writes: the proof that there was only one at a time, and the
 * source of its {@code Grants}, of which every figure about waiting is. {@code Samples}
 * are many numbers of which a percentile is wanted.</li>
 * <li><b>Libraries</b> are in the room {@code libraries}, which sees nothing of all
 * this.</li>
 * </ul>
 */
@NullMarked
package io.holdfast.lock.benchmarks;

import org.jspecify.annotations.NullMarked;
