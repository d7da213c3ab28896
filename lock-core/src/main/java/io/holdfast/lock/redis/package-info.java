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
 * {@link io.holdfast.lock.redis.RedisLockClient} is the door, and its builder the only
 * other public type that is meant for users. What is asked of Redis, and how, is in the
 * packages under {@code io.holdfast.lock.internal}. The inside, from the bottom up:
 * <ul>
 * <li>{@code Contender} is one request of this client in Redis, with the {@code Line} of
 * local waiters behind it and the {@code Hold} that it may have, whose owners come one
 * after the other as its {@code Tenure} allows. {@code LocalLock} is all that this client
 * knows of one name while it is used, {@code Locks} all of them.</li>
 * <li>{@code Acquisition}, {@code Reentry} and {@code Release} are one call each, on the
 * caller's thread.</li>
 * <li>{@code Watchdog} renews, {@code Messages} hands on what the server pushes, and
 * {@code Leftovers} gives back what nobody knows the outcome of.</li>
 * </ul>
 */
@NullMarked
package io.holdfast.lock.redis;

import org.jspecify.annotations.NullMarked;
