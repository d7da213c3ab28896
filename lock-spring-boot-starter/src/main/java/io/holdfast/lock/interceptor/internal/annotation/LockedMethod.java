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
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.lock.LockException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.expression.EvaluationContext;

/**
 * What an annotation says about one method of one class, found valid.
 */
public final class LockedMethod {

	private final Method method;

	private final boolean explicit;

	private final DistributedLock annotation;

	private final String name;

	private final String declaredName;

	private final MethodExpressions expressions;

	private final LockTimes times;

	private final FallbackMethods fallback;

	LockedMethod(Method method, boolean explicit, DistributedLock annotation, String name,
			MethodExpressions expressions, LockTimes times, FallbackMethods fallback) {
		this.method = method;
		this.explicit = explicit;
		this.annotation = annotation;
		this.name = name;
		this.declaredName = name.isEmpty() ? method.getDeclaringClass().getSimpleName() + "." + method.getName() : name;
		this.expressions = expressions;
		this.times = times;
		this.fallback = fallback;
	}

	/**
	 * How messages call a method: its class, its name and the types of its parameters.
	 */
	public static String describe(Method method) {
		return Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(
					Collectors.joining(", ", method.getDeclaringClass().getName() + "." + method.getName() + "(", ")"));
	}

	/**
	 * Returns the method as its class implements it.
	 */
	public Method method() {
		return this.method;
	}

	/**
	 * Whether the method itself is annotated, not only its type.
	 */
	public boolean isExplicit() {
		return this.explicit;
	}

	/**
	 * Returns the lock's name, or what precedes its key; may be empty.
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Returns what the locks of the method are called in metrics: the name of the
	 * annotation, or the class and the method if it has none.
	 */
	public String declaredName() {
		return this.declaredName;
	}

	/**
	 * Returns the order among waiters.
	 */
	public LockType type() {
		return this.annotation.fair() ? LockType.FAIR : LockType.REENTRANT;
	}

	/**
	 * Returns the name of the client that gives the lock, or an empty one for that of the
	 * application.
	 */
	public String client() {
		return this.annotation.client();
	}

	/**
	 * Returns the wait time of the annotation, or the application's if it has none.
	 */
	public Duration waitTime(Duration defaultTime) {
		Duration waitTime = this.times.waitTime();
		return (waitTime != null) ? waitTime : defaultTime;
	}

	/**
	 * Returns the lease time of the annotation, or the application's if it has none.
	 */
	public Duration leaseTime(Duration defaultTime) {
		Duration leaseTime = this.times.leaseTime();
		return (leaseTime != null) ? leaseTime : defaultTime;
	}

	/**
	 * Returns what expressions see of a call.
	 */
	public EvaluationContext context(@Nullable Object target, @Nullable Object[] args) {
		return this.expressions.context().apply(target, args);
	}

	/**
	 * Whether a call needs the lock.
	 * @throws IllegalArgumentException if the condition cannot be evaluated
	 */
	public boolean needsLock(EvaluationContext call) {
		LockExpression condition = this.expressions.condition();
		return condition == null || condition.evaluateCondition(call);
	}

	/**
	 * Returns the names of a call's locks, at least one. The result of an expression is
	 * not asked for twice: it might change.
	 * @throws IllegalArgumentException if the key cannot be evaluated, or its value is no
	 * key
	 */
	public List<String> lockNames(EvaluationContext call) {
		LockExpression key = this.expressions.key();
		if (key == null) {
			return List.of(this.name);
		}
		String prefix = this.name.isEmpty() ? "" : this.name + ":";
		return key.evaluateKeys(call).stream().map((text) -> prefix + text).toList();
	}

	/**
	 * Whether a call that does not get its lock is skipped, if another has the lock.
	 */
	public boolean isSkippedOnContention() {
		return this.annotation.onContention() == OnContention.SKIP;
	}

	/**
	 * Returns what a call that was skipped returns: {@code null}, or an empty
	 * {@link Optional}.
	 */
	public @Nullable Object skipped() {
		return SkippedResult.of(this.method);
	}

	/**
	 * Returns the fallback method that takes an exception, the most specific one of
	 * several, or {@code null} if none does.
	 */
	public @Nullable Fallback fallback(LockException failure) {
		return this.fallback.forException(failure);
	}

	/**
	 * Registers what a native image must know of the method because calls reach it by
	 * reflection: its fallback methods, and what its expressions read.
	 * @param targetClass the class of the bean
	 * @param beans finds the type of a bean that an expression names
	 */
	public void registerHints(ReflectionHints hints, Class<?> targetClass, Function<String, @Nullable Class<?>> beans) {
		this.fallback.all().forEach((each) -> hints.registerMethod(each, ExecutableMode.INVOKE));
		ExpressionHints expressionHints = new ExpressionHints(hints, beans);
		Stream.of(this.expressions.key(), this.expressions.condition())
			.filter(Objects::nonNull)
			.forEach((each) -> expressionHints.register(each.tree(), this.method, targetClass,
					this.expressions.parameters()));
	}

	@Override
	public String toString() {
		return describe(this.method);
	}

}
