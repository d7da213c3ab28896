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

import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.annotation.DistributedLimit;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * Reads annotations, and refuses invalid ones.
 */
public final class LockAnnotationParser {

	/** How a placeholder begins. */
	static final String PLACEHOLDER = "${";

	private final ConfigurableBeanFactory beanFactory;

	private final LockExpressionParser expressions;

	/**
	 * Create the parser.
	 * @param beanFactory where expressions find beans and placeholders find values
	 */
	public LockAnnotationParser(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.expressions = new LockExpressionParser(beanFactory);
	}

	/**
	 * Reads what an annotation says about a method.
	 * @param method the method as its class implements it
	 * @param merged the annotation, with what composed ones set
	 * @param explicit whether the annotation is that of the method, not of its type
	 * @param later what its result comes as, or {@code null} if that is there at once
	 * @throws InvalidAnnotationException if it is not valid
	 */
	public LockedMethod parse(Method method, Class<?> targetClass, MergedAnnotation<DistributedLock> merged,
			boolean explicit, @Nullable Class<?> later) {
		DistributedLock annotation = merged.synthesize();
		String name = name(annotation);
		LockTimes times = LockTimes.of(method, annotation, this::resolve);
		if (times.holdAtLeast() != null && later != null) {
			throw new InvalidAnnotationException("holdAtLeast is set, and the result comes later.",
					"Leave it out, or return when the work is done.");
		}
		MethodParameters parameters = new MethodParameters(method, targetClass);
		return new LockedMethod(method, explicit, annotation, name,
				this.expressions.parse(method, "key", annotation.key(), parameters),
				this.expressions.parse(method, "condition", annotation.condition(), parameters),
				options(merged, annotation, times,
						name.isEmpty() ? method.getDeclaringClass().getSimpleName() + "." + method.getName() : name),
				times.holdAtLeast(), fallback(method, targetClass, annotation, explicit, later), later);
	}

	/**
	 * Returns how to acquire a lock.
	 * @param declaredName what metrics call it
	 */
	private LockOptions options(MergedAnnotation<DistributedLock> merged, DistributedLock annotation, LockTimes times,
			String declaredName) {
		LockMode mode = switch (annotation.mode()) {
			case EXCLUSIVE -> LockMode.EXCLUSIVE;
			case SHARED -> LockMode.SHARED;
			case PERMITS -> permits(merged.getMetaSource());
		};
		try {
			return new LockOptions(mode, annotation.fair(),
					(times.waitTime() == null && annotation.onContention() == OnContention.SKIP) ? Duration.ZERO
							: times.waitTime(),
					times.leaseTime(), declaredName,
					(annotation.maxWaiters() != Integer.MIN_VALUE) ? annotation.maxWaiters() : null,
					(times.holdAtLeast() != null) ? LockOptions.FOREVER : times.maxHold());
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidAnnotationException(ex.getMessage() + ".",
					"Correct the attribute, or leave it out: then what is set in holdfast.lock.* holds.", ex);
		}
	}

	/**
	 * Returns a mode of one of so many permits.
	 * @param limit what has the annotation, with what composed ones set
	 */
	private LockMode permits(@Nullable MergedAnnotation<?> limit) {
		if (limit == null || limit.getType() != DistributedLimit.class) {
			throw new InvalidAnnotationException("mode is PERMITS, and nothing says how many.",
					"Use @DistributedLimit(permits = 5).");
		}
		int number = limit.getInt("permits");
		String text = limit.getString("permitsString");
		if (text.isEmpty() == (number == Integer.MIN_VALUE)) {
			throw new InvalidAnnotationException(
					"permits and permitsString are " + (text.isEmpty() ? "not" : "both") + " set.",
					"Set one of them: permits = 5, or permitsString = \"${mails.limit}\".");
		}
		String resolved = text.isEmpty() ? Integer.toString(number) : resolve("permitsString", text);
		try {
			// Of a placeholder that is still there the start will know more.
			return LockMode.permits(1, resolved.contains(PLACEHOLDER) ? 1 : Integer.parseInt(resolved));
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidAnnotationException(
					(text.isEmpty() ? "permits " + number : "permitsString \"" + text + "\"") + " is not valid: "
							+ ex.getMessage() + ".",
					"Use a whole number of at least 1, or a placeholder for one: ${property:5}.", ex);
		}
	}

	/**
	 * Returns the name, or an empty one if there is none. It has no {@code #}: whoever
	 * writes one takes the name for an expression, and would get one lock for all calls.
	 * Beside a key it has no colon, so that the first colon of a lock's name ends it.
	 */
	private String name(DistributedLock annotation) {
		String text = annotation.name();
		if (text.isEmpty() && annotation.key().isEmpty()) {
			throw new InvalidAnnotationException("neither name nor key is set, so there is nothing to lock.",
					"Set name = \"orders\" for one lock, or key = \"#id\" for one of each value, or both.");
		}
		String name = text.isEmpty() ? "" : resolve("name", text);
		if (!text.isEmpty() && name.isBlank()) {
			throw new InvalidAnnotationException("name \"" + text + "\" is blank.", "Use plain text, or leave it out.");
		}
		if (name.contains(PLACEHOLDER)) {
			return name;
		}
		String subject = "name \"" + text + "\" has a %s" + (name.equals(text) ? "" : ", as it is \"" + name + "\"");
		if (name.contains("#")) {
			throw new InvalidAnnotationException(
					subject.formatted("#")
							+ ". It is plain text, not an expression, so all calls would share one lock.",
					"Leave plain text in the name and put the expression into the key, as in name = \"order\", "
							+ "key = \"#order.id\".");
		}
		if (name.contains(":") && !annotation.key().isEmpty()) {
			throw new InvalidAnnotationException(
					subject.formatted("colon") + ", which ends the name before the key: another name with another key "
							+ "could be the same lock.",
					"Write another sign, such as \"" + name.replace(':', '.') + "\".");
		}
		return name;
	}

	/**
	 * Resolves placeholders. Where the application is only processed ahead of time, those
	 * without a value stay: it may have one when it starts.
	 */
	private String resolve(String attribute, String text) {
		try {
			String resolved = this.beanFactory.resolveEmbeddedValue(text);
			if (resolved == null || resolved.contains(PLACEHOLDER)) {
				throw new IllegalArgumentException("a placeholder has no value");
			}
			return resolved;
		}
		catch (IllegalArgumentException ex) {
			if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
				return text;
			}
			throw new InvalidAnnotationException(
					attribute + " \"" + text + "\" cannot be resolved: " + ex.getMessage() + ".",
					"Define the property, or give a default: ${property:default}.", ex);
		}
	}

	private static @Nullable Fallback fallback(Method method, Class<?> targetClass, DistributedLock annotation,
			boolean explicit, @Nullable Class<?> later) {
		String fallbackMethod = annotation.fallbackMethod();
		if (!explicit && !fallbackMethod.isEmpty()) {
			throw new InvalidAnnotationException(
					"fallbackMethod is set on a type, so a method that fits by chance would not be locked.",
					"Set it on the methods. A public fallback would have the lock of the type, so make it non-public.");
		}
		if (annotation.onContention() == OnContention.SKIP) {
			if (!fallbackMethod.isEmpty()) {
				throw new InvalidAnnotationException(
						"fallbackMethod is set, but onContention is SKIP, so it is never called.", "Keep one of them.");
			}
			SkippedResult.check(method, later);
			return null;
		}
		if (!fallbackMethod.isEmpty() && KotlinDetector.isSuspendingFunction(method)) {
			throw new InvalidAnnotationException("fallbackMethod is set, and the method is a suspending function.",
					"Catch LockNotAcquiredException where it is called.");
		}
		return fallbackMethod.isEmpty() ? null : Fallback.find(method, targetClass, fallbackMethod);
	}

}
