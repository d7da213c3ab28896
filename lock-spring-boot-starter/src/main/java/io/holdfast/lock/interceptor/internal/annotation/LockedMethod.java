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

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.lock.LockException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import org.jspecify.annotations.Nullable;

/**
 * What an annotation says about one method of one class, found valid.
 *
 * @param method the method as its class implements it
 * @param isExplicit whether the method itself is annotated, not only its type
 * @param annotation the annotation
 * @param name the lock's name, or what precedes its key; may be empty
 * @param key gives the keys of a call, or {@code null} if the name is the lock
 * @param condition says whether a call needs the lock, or {@code null} if all do
 * @param options how each lock is acquired, under the declared name, which is the class
 * and the method if the annotation has none; a time that is not set is the application's
 * @param holdAtLeast how long its locks are held at least, or {@code null}
 * @param fallback what is called instead of the method, or {@code null}
 * @param later what its result comes as, a stage or a type of
 * {@code ReactiveAdapterRegistry}, or {@code null} if that is there when it returns
 */
public record LockedMethod(Method method, boolean isExplicit, DistributedLock annotation, String name,
		@Nullable LockExpression key, @Nullable LockExpression condition, LockOptions options,
		@Nullable Duration holdAtLeast, @Nullable Fallback fallback, @Nullable Class<?> later) {

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
	 * How messages call what locks a method: the annotation that stands in its code.
	 */
	public static String describeAnnotation(Method method) {
		String name = Stream.<AnnotatedElement>of(method, method.getDeclaringClass())
			.flatMap((element) -> Arrays.stream(element.getAnnotations()))
			.map(Annotation::annotationType)
			.filter((type) -> type == DistributedLock.class || type.isAnnotationPresent(DistributedLock.class))
			.map(Class::getSimpleName)
			.findFirst()
			.orElse("DistributedLock");
		return "@" + name + " on " + describe(method);
	}

	/**
	 * Returns the name of the client that gives the lock, or an empty one for that of the
	 * application.
	 */
	public String client() {
		return this.annotation.client();
	}

	/**
	 * Returns the options with the times of the annotation, or these where it has none.
	 */
	public LockOptions options(Duration defaultWaitTime, Duration defaultLeaseTime) {
		return this.options.waitTime(Objects.requireNonNullElse(this.options.waitTime(), defaultWaitTime))
			.leaseTime(Objects.requireNonNullElse(this.options.leaseTime(), defaultLeaseTime));
	}

	/**
	 * Whether a call needs the lock.
	 * @throws IllegalArgumentException if the condition cannot be evaluated
	 */
	public boolean needsLock(@Nullable Object target, @Nullable Object[] args) {
		return this.condition == null || this.condition.evaluateCondition(target, args);
	}

	/**
	 * Returns the names of a call's locks, at least one. The result of an expression is
	 * not asked for twice: it might change.
	 * @throws IllegalArgumentException if the key cannot be evaluated, or its value is no
	 * key
	 */
	public List<String> lockNames(@Nullable Object target, @Nullable Object[] args) {
		if (this.key == null) {
			return List.of(this.name);
		}
		String prefix = this.name.isEmpty() ? "" : this.name + ":";
		return this.key.evaluateKeys(target, args).stream().map((text) -> prefix + text).toList();
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
	 * Returns the fallback method that takes an exception, or {@code null} if none does.
	 */
	public @Nullable Fallback fallback(LockException failure) {
		return (this.fallback != null && this.fallback.exception().isInstance(failure)) ? this.fallback : null;
	}

	@Override
	public String toString() {
		return describe(this.method);
	}

}
