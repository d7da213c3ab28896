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
 * The port between the engine and the world, not an implementation of it: what a client
 * asks of Redis ({@link io.holdfast.lock.internal.server.LockServer}), what comes back,
 * and what goes wrong. It sees no script and no driver; only {@code RedisErrors} knows
 * what drivers and scripts say when something goes wrong.
 * <p>
 * Also what the other packages of the core log with: {@code LimitedLog}, {@code LogQueue}
 * and {@code LogText}.
 * <p>
 * Internal: no API, only for Holdfast's own jars.
 */
@NullMarked
package io.holdfast.lock.internal.server;

import org.jspecify.annotations.NullMarked;
