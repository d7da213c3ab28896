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
 * Auto-configuration of distributed locks, {@code holdfast.lock.*} properties.
 * <ul>
 * <li><b>The client</b>: {@link io.holdfast.lock.autoconfigure.LockAutoConfiguration}
 * makes it on Redis, with {@code LockProperties}, {@code LockServers} and what a
 * {@link io.holdfast.lock.autoconfigure.LockClientCustomizer} adds;
 * {@link io.holdfast.lock.autoconfigure.LocalLockAutoConfiguration} makes it without
 * Redis. {@code StartUpCheck} tries it, {@code LockClientShutdown} closes it.</li>
 * <li><b>Locked methods</b>:
 * {@link io.holdfast.lock.autoconfigure.LockAnnotationAutoConfiguration}, with
 * {@code ProxyLockConfiguration}.</li>
 * <li><b>Losses</b>: {@code LossEvents}.</li>
 * <li><b>What operators see</b>: one auto-configuration each for health
 * ({@code LockHealth}), metrics, observations and the endpoint.</li>
 * <li><b>Lettuce</b>: {@link io.holdfast.lock.autoconfigure.LettucePoolAutoConfiguration}
 * keeps it without a pool.</li>
 * <li><b>Conditions</b>: {@code On...Condition}.</li>
 * <li><b>Mistakes</b>: the {@code ...FailureAnalyzer}s.</li>
 * </ul>
 */
@NullMarked
package io.holdfast.lock.autoconfigure;

import org.jspecify.annotations.NullMarked;
