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
 * Locks on Redis through Spring Data Redis.
 * {@link io.holdfast.lock.redis.RedisLockClient} is the only public type. The inside,
 * from the bottom up:
 * <ul>
 * <li>{@code LockScript} runs the {@code .lua} resources beside it; {@code queue.lua}
 * says what lies in Redis. {@code LockServer} makes typed calls of them, and sorts
 * failures.</li>
 * <li>{@code Contender} is one request of this client in Redis, with the local waiters
 * behind it. {@code LocalLock} is all that this client knows of one lock name while it is
 * used. {@code Acquisition} and {@code Release} drive them.</li>
 * <li>{@code Watchdog} renews, {@code Inbox} receives what the server pushes, and
 * {@code Locks} ties the parts together.</li>
 * </ul>
 */
@NullMarked
package io.holdfast.lock.redis;

import org.jspecify.annotations.NullMarked;
