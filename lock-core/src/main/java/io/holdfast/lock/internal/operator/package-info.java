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
 * What an operator sees of the locks: all that are held and who waits, and their release
 * by force, in {@link io.holdfast.lock.internal.operator.ServerLockDirectory}; how this
 * client is, in {@link io.holdfast.lock.internal.operator.HealthMonitor}, and for
 * observers in {@link io.holdfast.lock.internal.operator.EngineView}; and what lasts too
 * long, with threads that wait for each other, in
 * {@link io.holdfast.lock.internal.operator.TooLong}. Reads the engine and decides
 * nothing there, but for the release by force.
 * <p>
 * Internal: no API, only for Holdfast's own jars.
 */
@NullMarked
package io.holdfast.lock.internal.operator;

import org.jspecify.annotations.NullMarked;
