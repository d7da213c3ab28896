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
 * Puts together a lock client on Redis, through Spring Data Redis.
 * {@link io.holdfast.lock.redis.RedisLockClient} is the door, and its builder the only
 * other public type that is meant for users. Who waits and who holds is in
 * {@code io.holdfast.lock.internal.engine}, the threads and calls of a client are in
 * {@code io.holdfast.lock.internal.client}, and what is asked of Redis, and how, is in
 * {@code protocol}, {@code redis} and {@code driver} beside them.
 */
@NullMarked
package io.holdfast.lock.redis;

import org.jspecify.annotations.NullMarked;
