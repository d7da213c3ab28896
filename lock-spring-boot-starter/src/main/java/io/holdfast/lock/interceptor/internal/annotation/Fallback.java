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

import java.lang.reflect.Method;
import java.util.Arrays;

import io.holdfast.lock.LockException;
import org.jspecify.annotations.Nullable;

/**
 * A method to call instead of one that did not get its lock.
 *
 * @param method the method, made accessible
 * @param takesException whether its last parameter is the exception
 */
public record Fallback(Method method, boolean takesException) {

	/**
	 * Returns the arguments of its call.
	 * @param args those of the call that did not get its lock
	 */
	public @Nullable Object[] arguments(@Nullable Object[] args, LockException failure) {
		if (!this.takesException) {
			return args;
		}
		@Nullable Object[] all = Arrays.copyOf(args, this.method.getParameterCount());
		all[all.length - 1] = failure;
		return all;
	}

}
