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
		String name = LockName.of(annotation, this::resolvePlaceholders);
		if (name.isEmpty() && annotation.key().isEmpty()) {
			throw new InvalidAnnotationException("neither name nor key is set, so there is nothing to lock.",
					"Set name = \"orders\" for one lock, or key = \"#id\" for one of each value, or both.");
		}
		MethodParameters parameters = MethodParameters.of(method);
		MethodExpressions expressions = this.expressions.parse(method, annotation, parameters);
		LockTimes times = LockTimes.of(annotation, this::resolvePlaceholders);
		return new LockedMethod(method, explicit, annotation, name, expressions, parameters, times,
				fallback(method, targetClass, annotation));
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

	private static FallbackMethods fallback(Method method, Class<?> targetClass, DistributedLock annotation) {
		String fallbackMethod = annotation.fallbackMethod();
		if (annotation.onContention() == OnContention.FALLBACK) {
			if (fallbackMethod.isEmpty()) {
				throw new InvalidAnnotationException("onContention is FALLBACK, and fallbackMethod is not set.",
						"Set fallbackMethod to the name of a method of the same class.");
			}
			return FallbackMethods.find(method, targetClass, fallbackMethod);
		}
		if (!fallbackMethod.isEmpty()) {
			throw new InvalidAnnotationException("fallbackMethod is set, but onContention is "
					+ annotation.onContention() + ", so it is never called.",
					"Set onContention = OnContention.FALLBACK.");
		}
		if (annotation.onContention() == OnContention.SKIP && method.getReturnType().isPrimitive()
				&& method.getReturnType() != void.class) {
			throw new InvalidAnnotationException("onContention is SKIP, and a call that was skipped has no "
					+ method.getReturnType() + " to return.",
					"Return an Optional or an object (then null), or use THROW or FALLBACK.");
		}
		return FallbackMethods.NONE;
	}

	/**
	 * Whether a method of a locked type is there to be called without the lock.
	 * @param annotation the annotation of the type
	 * @throws InvalidAnnotationException if it may as well be one to lock, with a
	 * fallback of its own
	 */
	public boolean isFallback(Method method, Class<?> targetClass, DistributedLock annotation) {
		String name = annotation.fallbackMethod();
		if (annotation.onContention() != OnContention.FALLBACK || !method.getName().equals(name)
				|| !FallbackMethods.isFallback(method, targetClass)) {
			return false;
		}
		if (FallbackMethods.exists(method, targetClass, name)) {
			throw new InvalidAnnotationException(
					"the method fits as a fallback of another, so it would not be locked, and it has a fallback itself.",
					"Give the fallback methods a name that no locked method has.");
		}
		return true;
	}

}
