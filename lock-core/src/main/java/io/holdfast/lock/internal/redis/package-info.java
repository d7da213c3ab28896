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
 * The port on one Redis, be it a single server, one with Sentinel, or a cluster
 * ({@link io.holdfast.lock.internal.redis.RedisLockServer}). The scripts are the
 * {@code .lua} resources of this package, and {@code lock.lua} says what lies in Redis.
 * {@code Wire} words commands and reads answers, {@code ScriptRunner} runs scripts,
 * {@code RequestCombiner} sends requests that meet in one call. {@code Subscription}
 * hears the messages. {@code RedisDirectory} is what operators look at.
 * <p>
 * Internal: no API, only for Holdfast's own jars.
 */
@NullMarked
package io.holdfast.lock.internal.redis;

import org.jspecify.annotations.NullMarked;
