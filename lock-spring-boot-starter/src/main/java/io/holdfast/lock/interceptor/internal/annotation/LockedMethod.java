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
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.annotation.OnFailure;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationContext;

/**
 * What an annotation says about one method of one class, found valid.
 */
public final class LockedMethod {

	private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	private final Method method;

	private final boolean explicit;

	private final String name;

	private final @Nullable LockExpression key;

	private final @Nullable LockExpression condition;

	private final MethodParameters parameters;

	private final LockExpressionParser expressions;

	private final LockTimes times;

	private final LockType type;

	private final OnFailure onFailure;

	private final FallbackMethods fallback;

	LockedMethod(Method method, boolean explicit, String name, @Nullable LockExpression key,
			@Nullable LockExpression condition, MethodParameters parameters, LockExpressionParser expressions,
			LockTimes times, LockType type, OnFailure onFailure, FallbackMethods fallback) {
		this.method = method;
		this.explicit = explicit;
		this.name = name;
		this.key = key;
		this.condition = condition;
		this.parameters = parameters;
		this.expressions = expressions;
		this.times = times;
		this.type = type;
		this.onFailure = onFailure;
		this.fallback = fallback;
	}

	/**
	 * How messages call a method.
	 * @param method any method
	 * @return its class, name and the types of its parameters
	 */
	public static String describe(Method method) {
		return Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(
					Collectors.joining(", ", method.getDeclaringClass().getName() + "." + method.getName() + "(", ")"));
	}

	/**
	 * Returns the method.
	 * @return the method as its class implements it
	 */
	public Method method() {
		return this.method;
	}

	/**
	 * Whether the method itself is annotated, not only its type.
	 * @return whether it is
	 */
	public boolean isExplicit() {
		return this.explicit;
	}

	/**
	 * Returns what all its locks have in common.
	 * @return the lock's name, or what precedes its key; may be empty
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Returns the expression of the key.
	 * @return the expression as it is written, or {@code null} if the name alone names
	 * the lock
	 */
	public @Nullable String key() {
		return (this.key != null) ? this.key.text() : null;
	}

	/**
	 * Returns the expression that tells whether a call needs the lock.
	 * @return the expression as it is written, or {@code null} if all calls do
	 */
	public @Nullable String condition() {
		return (this.condition != null) ? this.condition.text() : null;
	}

	/**
	 * Returns the order among waiters.
	 * @return the type of the locks
	 */
	public LockType type() {
		return this.type;
	}

	/**
	 * Returns the wait time.
	 * @param defaultTime the application's
	 * @return the annotation's, if it has one
	 */
	public Duration waitTime(Duration defaultTime) {
		Duration waitTime = this.times.waitTime();
		return (waitTime != null) ? waitTime : defaultTime;
	}

	/**
	 * Returns the lease time.
	 * @param defaultTime the application's
	 * @return the annotation's, if it has one
	 */
	public Duration leaseTime(Duration defaultTime) {
		Duration leaseTime = this.times.leaseTime();
		return (leaseTime != null) ? leaseTime : defaultTime;
	}

	/**
	 * Whether a parameter takes the lease.
	 * @return whether one does
	 */
	public boolean takesLease() {
		return this.parameters.hasLease();
	}

	/**
	 * Puts a lease among the arguments of a call, if the method takes one.
	 * @param args the arguments
	 * @param lease the lease, or {@code null} for none
	 */
	public void setLease(@Nullable Object[] args, @Nullable Lease lease) {
		this.parameters.setLease(args, lease);
	}

	/**
	 * Returns what expressions see of a call.
	 * @param target the object whose method it is
	 * @param args the arguments
	 * @return the context of the call
	 */
	public EvaluationContext context(@Nullable Object target, @Nullable Object[] args) {
		return this.expressions.context(this.method, target, args, this.parameters);
	}

	/**
	 * Whether a call needs the lock.
	 * @param call the context of the call
	 * @return whether it does
	 * @throws IllegalArgumentException if the condition cannot be evaluated
	 */
	public boolean needsLock(EvaluationContext call) {
		return this.condition == null || this.condition.evaluateCondition(call);
	}

	/**
	 * Returns the names of a call's locks. The result of an expression is not asked for
	 * twice: it might change.
	 * @param call the context of the call
	 * @return the names, at least one
	 * @throws IllegalArgumentException if the key cannot be evaluated, or its value is no
	 * key
	 */
	public List<String> lockNames(EvaluationContext call) {
		if (this.key == null) {
			return List.of(this.name);
		}
		String prefix = this.name.isEmpty() ? "" : this.name + ":";
		return this.key.evaluateKeys(call).stream().map((text) -> prefix + text).toList();
	}

	/**
	 * Whether a call that does not get its lock is skipped, if another has the lock.
	 * @return whether it is
	 */
	public boolean isSkippedOnContention() {
		return this.onFailure == OnFailure.SKIP;
	}

	/**
	 * Returns what a call that was skipped returns.
	 * @return {@code null}, or an empty {@link Optional}
	 */
	public @Nullable Object skipped() {
		return EMPTY.get(this.method.getReturnType());
	}

	/**
	 * Returns the fallback method that takes an exception, the most specific one of
	 * several.
	 * @param failure why a call does not have its lock
	 * @return the method, which is accessible, or {@code null} if none takes it
	 */
	public @Nullable Method fallback(LockException failure) {
		return this.fallback.forException(failure);
	}

	@Override
	public String toString() {
		return describe(this.method);
	}

}
