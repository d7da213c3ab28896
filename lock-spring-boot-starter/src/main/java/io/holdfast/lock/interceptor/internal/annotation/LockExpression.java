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
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * A checked expression of an annotation.
 *
 * @param method has the annotation
 * @param attribute the annotation's attribute that has the expression
 * @param expression the expression
 * @param parameters those of the method
 * @param delegates what the contexts of all calls share
 */
record LockExpression(Method method, String attribute, SpelExpression expression, MethodParameters parameters,
		StandardEvaluationContext delegates) {

	/**
	 * Evaluates it as a key, or as several.
	 * @return their texts, at least one
	 * @throws IllegalArgumentException if that fails or its value is no key
	 */
	List<String> evaluateKeys(@Nullable Object target, @Nullable Object[] args) {
		CallContext context = context(target, args);
		context.setTypeConverter(new CanonicalTextConverter(context.getTypeConverter()));
		Object value = evaluate(context);
		try {
			return KeyText.textsOf(value);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(describe() + " " + ex.getMessage() + ". The method was not run.", ex);
		}
	}

	/**
	 * Evaluates it as a condition.
	 * @throws IllegalArgumentException if that fails or its value is neither true nor
	 * false
	 */
	boolean evaluateCondition(@Nullable Object target, @Nullable Object[] args) {
		if (evaluate(context(target, args)) instanceof Boolean condition) {
			return condition;
		}
		throw new IllegalArgumentException(describe() + " is neither true nor false. The method was not run.");
	}

	private CallContext context(@Nullable Object target, @Nullable Object[] args) {
		CallContext context = new CallContext(this.method, target, args, this.parameters);
		this.delegates.applyDelegatesTo(context);
		return context;
	}

	private @Nullable Object evaluate(CallContext context) {
		try {
			return this.expression.getValue(context);
		}
		catch (EvaluationException ex) {
			throw new IllegalArgumentException(
					describe() + " cannot be evaluated: " + ex.getMessage() + ". The method was not run.", ex);
		}
	}

	private String describe() {
		return LockedMethod.describeAnnotation(this.method) + ": " + this.attribute + " \""
				+ this.expression.getExpressionString() + "\"";
	}

}
