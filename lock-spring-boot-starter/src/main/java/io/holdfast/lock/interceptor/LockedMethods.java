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
import io.holdfast.lock.annotation.OnFailure;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;
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
 * Finds the locked methods of classes. Each is checked when it is first asked for, and
 * remembered.
 */
final class LockedMethods {

	/** Also those that are not locked, which calls may ask for as well. */
	private final Map<MethodClassKey, Optional<LockedMethod>> methods = new ConcurrentHashMap<>();

	private final ConfigurableListableBeanFactory beanFactory;

	private final LockExpressionParser expressions;

	private final boolean woven;

	LockedMethods(ConfigurableListableBeanFactory beanFactory) {
		this(beanFactory, false);
	}

	/**
	 * Create the methods of an application.
	 * @param woven whether their locks need no proxies
	 */
	LockedMethods(ConfigurableListableBeanFactory beanFactory, boolean woven) {
		this.beanFactory = beanFactory;
		this.woven = woven;
		this.expressions = new LockExpressionParser(beanFactory);
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

	/**
	 * Returns what the expressions of a locked method see of a call.
	 */
	CallContext context(LockedMethod method, @Nullable Object target, @Nullable Object[] args) {
		return this.expressions.context(method.method(), target, args, method.parameters());
	}

	private @Nullable LockedMethod inspect(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Method specific = specific(method, userClass);
		DistributedLock onMethod = AnnotatedElementUtils.findMergedAnnotation(specific, DistributedLock.class);
		if (onMethod != null) {
			checkReachable(specific, userClass, true);
			return create(specific, userClass, onMethod, true);
		}
		if (!Modifier.isPublic(specific.getModifiers()) || Modifier.isStatic(specific.getModifiers())
				|| specific.isSynthetic() || isCommonMethod(specific)) {
			return null;
		}
		DistributedLock onType = onType(specific, userClass);
		if (onType == null) {
			return null;
		}
		if (isFallback(specific, userClass, onType)) {
			checkOnlyFallback(specific, userClass, onType.fallbackMethod());
			return null;
		}
		checkReachable(specific, userClass, false);
		return create(specific, userClass, onType, false);
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
	 * Whether a method of a locked type is there to be called without the lock.
	 */
	private static boolean isFallback(Method method, Class<?> targetClass, DistributedLock annotation) {
		return annotation.onFailure() == OnFailure.FALLBACK && method.getName().equals(annotation.fallbackMethod())
				&& FallbackMethods.isFallback(method, targetClass);
	}

	/**
	 * Refuses a method that may as well be one to lock, with a fallback of its own.
	 */
	private static void checkOnlyFallback(Method method, Class<?> targetClass, String name) {
		if (FallbackMethods.exists(method, targetClass, name)) {
			throw InvalidLockedMethodException.of(method,
					"the method fits as a fallback of another, so it would not be locked, and it has a fallback itself.",
					"Give the fallback methods a name that no locked method has.");
		}
	}

	/**
	 * Whether a method is one that every object has, or every proxy.
	 */
	private static boolean isCommonMethod(Method method) {
		return method.getDeclaringClass().isAssignableFrom(Advised.class)
				|| method.getDeclaringClass() == DecoratingProxy.class || ReflectionUtils.isEqualsMethod(method)
				|| ReflectionUtils.isHashCodeMethod(method) || ReflectionUtils.isToStringMethod(method);
	}

	private void checkReachable(Method method, Class<?> targetClass, boolean explicit) {
		int modifiers = method.getModifiers();
		if ((Modifier.isPrivate(modifiers) && !this.woven) || Modifier.isStatic(modifiers)) {
			throw InvalidLockedMethodException.of(method,
					"the method is " + (Modifier.isStatic(modifiers) ? "static" : "private") + ", so "
							+ (this.woven ? "nothing" : "no proxy") + " can lock its calls.",
					"Annotate a public method that other beans call, or use LockClient.execute.");
		}
		if (!this.woven && isProxiedByClass(targetClass)) {
			checkOverridable(method, targetClass, explicit);
		}
	}

	private boolean isProxiedByClass(Class<?> targetClass) {
		if (Proxy.isProxyClass(targetClass) || ClassUtils.isLambdaClass(targetClass)) {
			return false;
		}
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		return ProxyInterfaces.areMissing(targetClass) || (this.beanFactory.containsBean(creator)
				&& this.beanFactory.getBean(creator, ProxyConfig.class).isProxyTargetClass());
	}

	/**
	 * Checks that a proxy that is a subclass can take the calls of a method.
	 * @throws InvalidLockedMethodException if it cannot
	 */
	static void checkOverridable(Method method, Class<?> targetClass, boolean explicit) {
		boolean finalClass = Modifier.isFinal(targetClass.getModifiers());
		if (finalClass || Modifier.isFinal(method.getModifiers())) {
			throw InvalidLockedMethodException.of(method,
					"the " + (finalClass ? "class" : "method") + " is final, so no proxy can lock its calls.",
					(!explicit && method.getDeclaringClass() != targetClass && !finalClass)
							? "Annotate the methods to lock instead of the type " + targetClass.getName() + "."
							: "Remove \"final\" (in Kotlin: make class and method \"open\", or use the kotlin-spring plugin).");
		}
		if (!isOverridable(method, targetClass)) {
			throw InvalidLockedMethodException.of(method,
					"the method is package-private and " + targetClass.getName()
							+ " is in another package, so no proxy can lock its calls.",
					"Make the method protected or public.");
		}
	}

	/**
	 * Whether a subclass in the package of a type can override a method.
	 */
	static boolean isOverridable(Method method, Class<?> type) {
		int modifiers = method.getModifiers();
		if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
			return false;
		}
		return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers)
				|| method.getDeclaringClass().getPackage().equals(type.getPackage());
	}

	private LockedMethod create(Method method, Class<?> targetClass, DistributedLock annotation, boolean explicit) {
		LaterResult.check(method, targetClass);
		String name = LockName.of(method, annotation, this::resolvePlaceholders);
		Map<String, Integer> parameters = this.expressions.parameters(method);
		LockExpression key = this.expressions.parse(method, "key", annotation.key(), parameters);
		if (name.isEmpty() && key == null) {
			throw InvalidLockedMethodException.of(method, "neither name nor key is set, so there is nothing to lock.",
					"Set name = \"orders\" for one lock, or key = \"#id\" for one of each value, or both.");
		}
		return new LockedMethod(method, explicit, name, key,
				this.expressions.parse(method, "condition", annotation.condition(), parameters), parameters,
				LeaseParameter.of(method), LockTimes.of(method, annotation, this::resolvePlaceholders),
				annotation.type(), annotation.onFailure(), fallback(method, targetClass, annotation));
	}

	private String resolvePlaceholders(String text) {
		String resolved = this.beanFactory.resolveEmbeddedValue(text);
		if (resolved == null || resolved.contains("${")) {
			throw new IllegalArgumentException("a placeholder has no value");
		}
		return resolved;
	}

	private static FallbackMethods fallback(Method method, Class<?> targetClass, DistributedLock annotation) {
		String fallbackMethod = annotation.fallbackMethod();
		if (annotation.onFailure() == OnFailure.FALLBACK) {
			if (fallbackMethod.isEmpty()) {
				throw InvalidLockedMethodException.of(method, "onFailure is FALLBACK, and fallbackMethod is not set.",
						"Set fallbackMethod to the name of a method of the same class.");
			}
			return FallbackMethods.find(method, targetClass, fallbackMethod);
		}
		if (!fallbackMethod.isEmpty()) {
			throw InvalidLockedMethodException.of(method,
					"fallbackMethod is set, but onFailure is " + annotation.onFailure() + ", so it is never called.",
					"Set onFailure = OnFailure.FALLBACK.");
		}
		if (annotation.onFailure() == OnFailure.SKIP && method.getReturnType().isPrimitive()
				&& method.getReturnType() != void.class) {
			throw InvalidLockedMethodException.of(method,
					"onFailure is SKIP, and a call that was skipped has no " + method.getReturnType() + " to return.",
					"Return an Optional or an object (then null), or use THROW or FALLBACK.");
		}
		return FallbackMethods.NONE;
	}

	/**
	 * Asks Spring whether it would make a proxy by interfaces, if that is not forbidden.
	 */
	private static final class ProxyInterfaces extends ProxyProcessorSupport {

		static boolean areMissing(Class<?> type) {
			ProxyFactory factory = new ProxyFactory();
			new ProxyInterfaces().evaluateProxyInterfaces(type, factory);
			return factory.isProxyTargetClass();
		}

	}

}
