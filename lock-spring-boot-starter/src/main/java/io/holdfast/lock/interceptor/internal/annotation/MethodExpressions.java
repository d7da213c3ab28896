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

package io.holdfast.lock.interceptor.internal.annotation;

import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * The expressions of one method.
 *
 * @param key names the locks of a call; {@code null} if the name alone does
 * @param condition tells whether a call needs the lock; {@code null} if all calls do
 * @param context makes what they see of a call, from its target and its arguments
 */
record MethodExpressions(@Nullable LockExpression key, @Nullable LockExpression condition,
		BiFunction<@Nullable Object, @Nullable Object[], StandardEvaluationContext> context) {
}
