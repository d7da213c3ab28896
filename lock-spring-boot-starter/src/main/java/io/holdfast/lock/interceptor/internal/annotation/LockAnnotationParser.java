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

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.aot.AbstractAotProcessor;

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
	 * @param explicit whether the annotation is that of the method, not of its type
	 * @throws InvalidAnnotationException if it is not valid
	 */
	public LockedMethod parse(Method method, Class<?> targetClass, DistributedLock annotation, boolean explicit) {
		return new LockedMethod(method, explicit, annotation, name(annotation),
				this.expressions.parse(method, annotation, new MethodParameters(method, targetClass)),
				LockTimes.of(annotation, this::resolvePlaceholders), fallback(method, targetClass, annotation));
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
		String name = text.isEmpty() ? "" : resolveName(text);
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

	private String resolveName(String text) {
		try {
			String name = resolvePlaceholders(text);
			if (name.isBlank()) {
				throw new IllegalArgumentException("it is blank");
			}
			return name;
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidAnnotationException("name \"" + text + "\" is not valid: " + ex.getMessage() + ".",
					"Define the property, give a default (${property:orders}), or use plain text.", ex);
		}
	}

	/**
	 * Resolves placeholders. Where the application is only processed ahead of time, those
	 * without a value stay: it may have one when it starts.
	 */
	private String resolvePlaceholders(String text) {
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
			throw ex;
		}
	}

	private static @Nullable Fallback fallback(Method method, Class<?> targetClass, DistributedLock annotation) {
		String fallbackMethod = annotation.fallbackMethod();
		if (annotation.onContention() == OnContention.SKIP) {
			if (!fallbackMethod.isEmpty()) {
				throw new InvalidAnnotationException(
						"fallbackMethod is set, but onContention is SKIP, so it is never called.", "Keep one of them.");
			}
			SkippedResult.check(method);
			return null;
		}
		if (!fallbackMethod.isEmpty()) {
			return Fallback.find(method, targetClass, fallbackMethod);
		}
		if (annotation.onContention() == OnContention.FALLBACK) {
			throw new InvalidAnnotationException("onContention is FALLBACK, and fallbackMethod is not set.",
					"Set fallbackMethod to the name of a method of the same class.");
		}
		return null;
	}

	/**
	 * Whether a method of a locked type is there to be called without the lock.
	 * @param annotation the annotation of the type
	 * @throws InvalidAnnotationException if it may as well be one to lock, with a
	 * fallback of its own
	 */
	public boolean isFallback(Method method, Class<?> targetClass, DistributedLock annotation) {
		String name = annotation.fallbackMethod();
		if (name.isEmpty() || !Fallback.isNamed(method, name) || !Fallback.isFallback(method, targetClass)) {
			return false;
		}
		if (Fallback.isThereFor(method, targetClass, name)) {
			throw new InvalidAnnotationException(
					"the method fits as a fallback of another, so it would not be locked, and it has a fallback itself.",
					"Give it another name, or its fallback.");
		}
		return true;
	}

}
