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
 * What {@link io.holdfast.lock.annotation.DistributedLock @DistributedLock} says about a
 * method: {@code LockAnnotationParser} reads it once, with its expressions, and refuses
 * invalid ones; {@code LockedMethod} is the result, and tells the names of the locks of a
 * call. Nothing here takes a lock or runs a call.
 * <p>
 * The text of a key: {@code LockExpressionParser} makes a {@code LockExpression}, whose
 * value {@code KeyText} turns into one text or several.
 * <p>
 * Internal: no API, only for Holdfast's own jars.
 */
@NullMarked
package io.holdfast.lock.interceptor.internal.annotation;

import org.jspecify.annotations.NullMarked;
