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
 * What Jedis and Lettuce, and the lines of Spring Data Redis, do differently, behind one
 * interface: {@link io.holdfast.lock.internal.driver.RedisDriver}. Nothing outside this
 * package asks which driver it is.
 * <ul>
 * <li>{@code JedisDriver} opens connections of its own beside the application's pool,
 * {@code LettuceDriver} uses the one that the application shares among its threads. Other
 * connection factories are refused.</li>
 * <li>{@code UnifiedJedisLine} is all that needs Spring Data Redis 4.1 and Jedis 7; it is
 * loaded only where they are.</li>
 * </ul>
 * Internal: public only within this jar.
 */
@NullMarked
package io.holdfast.lock.internal.driver;

import org.jspecify.annotations.NullMarked;
