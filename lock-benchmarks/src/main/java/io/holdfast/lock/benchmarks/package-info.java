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
 * {@link io.holdfast.lock.benchmarks.Benchmarks} is the command. From the outside in:
 * <ul>
 * <li>A {@code Scenario} is one question and one file: {@code run} asks it of each
 * library and fills {@code Results}, {@code work} is what the processes do that it starts
 * for this.</li>
 * <li>{@code Lab} is what a scenario works with: the libraries, and a {@code Crew} of
 * {@code Worker} processes with a {@code RedisServer}, new for each library and
 * round.</li>
 * <li>{@code Usage} is what Redis and the processes have used. {@code Journal} is a file
 * in the memory of all processes into which each owner of the hot lock writes: the proof
 * that there was only one at a time, and the source of every figure about waiting.</li>
 * <li>A {@code Library} opens a {@code Session}, which locks by key.</li>
 * </ul>
 */
@NullMarked
package io.holdfast.lock.benchmarks;

import org.jspecify.annotations.NullMarked;
