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

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * What an expression sees of one call.
 */
final class CallContext extends StandardEvaluationContext {

	private final MethodParameters parameters;

	private final @Nullable Object[] args;

	CallContext(Method method, @Nullable Object target, @Nullable Object[] args, MethodParameters parameters) {
		super(new Root(method, target, args));
		this.parameters = parameters;
		this.args = args;
	}

	@Override
	public @Nullable Object lookupVariable(String name) {
		Integer index = this.parameters.index(name);
		return (index != null) ? this.args[index] : super.lookupVariable(name);
	}

	/**
	 * What expressions know as {@code #root}.
	 *
	 * @param method the method as its class implements it
	 * @param target the object whose method it is
	 * @param args the arguments
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record Root(Method method, @Nullable Object target, @Nullable Object[] args) {
	}

}
