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

package io.holdfast.lock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.interceptor.internal.annotation.InvalidAnnotationException;
import io.holdfast.lock.interceptor.internal.annotation.LockAnnotationParser;
import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.DecoratingProxy;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the locked methods of classes: which annotation holds for a method, and whether
 * its calls can be locked at all. Each is checked when it is first asked for, and
 * remembered.
 */
final class LockedMethods {

	/** Also those that are not locked, which calls may ask for as well. */
	private final Map<MethodClassKey, Optional<LockedMethod>> methods = new ConcurrentHashMap<>();

	private final LockAnnotationParser annotations;

	private final ProxyCheck proxies;

	private final boolean woven;

	LockedMethods(ConfigurableListableBeanFactory beanFactory) {
		this(beanFactory, false);
	}

	/**
	 * Create the methods of an application.
	 * @param woven whether their locks need no proxies
	 */
	LockedMethods(ConfigurableListableBeanFactory beanFactory, boolean woven) {
		this.annotations = new LockAnnotationParser(beanFactory);
		this.proxies = new ProxyCheck(beanFactory);
		this.woven = woven;
	}

	/**
	 * Whether a class may have locked methods, without looking at each of them.
	 */
	static boolean mayBeIn(Class<?> type) {
		return AnnotationUtils.isCandidateClass(type, DistributedLock.class)
				&& !type.getName().startsWith("org.springframework.");
	}

	/**
	 * The class whose method is called, behind proxies as far as they can be seen.
	 */
	static Class<?> targetClass(MethodInvocation invocation) {
		Object target = invocation.getThis();
		return (target != null) ? AopUtils.getTargetClass(target) : invocation.getMethod().getDeclaringClass();
	}

	/**
	 * Finds all locked methods of a class that are valid.
	 * @param mistakes takes those that are not
	 */
	Collection<LockedMethod> find(Class<?> type, Mistakes mistakes) {
		return MethodIntrospector
			.selectMethods(type,
					(MethodIntrospector.MetadataLookup<LockedMethod>) (method) -> mistakes
						.collect(() -> find(method, type)))
			.values();
	}

	/**
	 * Finds what holds for a method of a class.
	 * @return {@code null} if it is not locked
	 * @throws InvalidLockedMethodException if it is not valid
	 */
	@Nullable LockedMethod find(Method method, Class<?> targetClass) {
		MethodClassKey cacheKey = new MethodClassKey(method, targetClass);
		Optional<LockedMethod> known = this.methods.get(cacheKey);
		if (known == null) {
			known = Optional.ofNullable(inspect(method, targetClass));
			this.methods.put(cacheKey, known);
		}
		return known.orElse(null);
	}

	private @Nullable LockedMethod inspect(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Method specific = specific(method, userClass);
		try {
			return read(specific, userClass);
		}
		catch (InvalidAnnotationException ex) {
			throw InvalidLockedMethodException.of(specific, ex.problem(), ex.action(), ex.getCause());
		}
	}

	/**
	 * Returns the method that a call runs. Woven code asks when that has begun, perhaps
	 * by a call of {@code super}.
	 */
	private Method specific(Method method, Class<?> userClass) {
		// The class of a JDK proxy has neither names of parameters nor annotations.
		return Proxy.isProxyClass(userClass) ? method
				: AopUtils.getMostSpecificMethod(method, this.woven ? method.getDeclaringClass() : userClass);
	}

	private @Nullable LockedMethod read(Method method, Class<?> userClass) {
		DistributedLock onMethod = AnnotatedElementUtils.findMergedAnnotation(method, DistributedLock.class);
		if (onMethod != null) {
			return read(method, userClass, onMethod, true);
		}
		if (!Modifier.isPublic(method.getModifiers()) || Modifier.isStatic(method.getModifiers())
				|| method.isSynthetic() || isCommonMethod(method)) {
			return null;
		}
		DistributedLock onType = onType(method, userClass);
		return (onType != null && !this.annotations.isFallback(method, userClass, onType))
				? read(method, userClass, onType, false) : null;
	}

	private LockedMethod read(Method method, Class<?> userClass, DistributedLock annotation, boolean explicit) {
		checkReachable(method, userClass, explicit);
		LaterResult.check(method, userClass);
		return this.annotations.parse(method, userClass, annotation, explicit);
	}

	/**
	 * Finds the annotation of the type. The weaver goes by the one that declares the
	 * method; one that only inherits it counts, too, so that the check refuses it.
	 */
	private @Nullable DistributedLock onType(Method method, Class<?> userClass) {
		DistributedLock declared = this.woven
				? AnnotatedElementUtils.findMergedAnnotation(method.getDeclaringClass(), DistributedLock.class) : null;
		return (declared != null) ? declared
				: AnnotatedElementUtils.findMergedAnnotation(userClass, DistributedLock.class);
	}

	/**
	 * Whether a method is one that every object has, or every proxy.
	 */
	private static boolean isCommonMethod(Method method) {
		return method.getDeclaringClass().isAssignableFrom(Advised.class)
				|| method.getDeclaringClass() == DecoratingProxy.class || ReflectionUtils.isEqualsMethod(method)
				|| ReflectionUtils.isHashCodeMethod(method) || ReflectionUtils.isToStringMethod(method);
	}

	private void checkReachable(Method method, Class<?> userClass, boolean explicit) {
		int modifiers = method.getModifiers();
		if (Modifier.isStatic(modifiers)) {
			throw unreachable(method, "the method is static, so nothing can lock its calls.");
		}
		if (Modifier.isPrivate(modifiers) && !this.woven) {
			throw unreachable(method, "the method is private, so no proxy can lock its calls.");
		}
		if (!this.woven) {
			this.proxies.checkBefore(method, userClass, explicit);
		}
	}

	private static InvalidLockedMethodException unreachable(Method method, String reason) {
		return InvalidLockedMethodException.of(method, reason,
				"Annotate a public method that other beans call, or use LockClient.execute.");
	}

}
