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
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.interceptor.internal.annotation.InvalidAnnotationException;
import io.holdfast.lock.interceptor.internal.annotation.LockAnnotationParser;
import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.core.DecoratingProxy;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the locked methods of classes: which annotation holds for a method, and whether
 * its calls can be locked at all. Each is checked when it is first asked for, and
 * remembered.
 */
final class LockedMethods {

	private static final Set<String> CALLBACKS = Set.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy");

	/**
	 * Only those that are locked: of the others there are many, and calls ask for none.
	 */
	private final Map<MethodClassKey, LockedMethod> methods = new ConcurrentHashMap<>();

	private final LockAnnotationParser annotations;

	private final LaterResult later;

	private final boolean woven;

	/**
	 * Create the methods of an application.
	 * @param woven whether their locks need no proxies
	 */
	LockedMethods(ConfigurableListableBeanFactory beanFactory, boolean woven) {
		this.annotations = new LockAnnotationParser(beanFactory);
		this.later = new LaterResult(woven);
		this.woven = woven;
	}

	/**
	 * Whether a class may have locked methods, without looking at each of them.
	 */
	static boolean mayBeIn(Class<?> type) {
		return AnnotationUtils.isCandidateClass(type, DistributedLock.class);
	}

	/**
	 * The class whose method is called, behind proxies as far as they can be seen.
	 */
	static Class<?> targetClass(MethodInvocation invocation) {
		Object target = invocation.getThis();
		return (target != null) ? AopUtils.getTargetClass(target) : invocation.getMethod().getDeclaringClass();
	}

	/**
	 * Finds all locked methods of a class.
	 * @throws LockStartUpException if one is not valid
	 */
	Collection<LockedMethod> find(Class<?> type) {
		return MethodIntrospector
			.selectMethods(type, (MethodIntrospector.MetadataLookup<LockedMethod>) (method) -> find(method, type))
			.values();
	}

	/**
	 * Finds what holds for a call. The target may be another proxy, whose interfaces may
	 * have an annotation that the class behind it does not know.
	 */
	@Nullable LockedMethod find(MethodInvocation invocation) {
		Method method = invocation.getMethod();
		LockedMethod found = find(method, targetClass(invocation));
		Object target = invocation.getThis();
		return (found == null && target != null) ? find(method, target.getClass()) : found;
	}

	/**
	 * Finds what holds for a method of a class.
	 * @return {@code null} if it is not locked
	 * @throws LockStartUpException if it is not valid
	 */
	@Nullable LockedMethod find(Method method, Class<?> targetClass) {
		MethodClassKey cacheKey = new MethodClassKey(method, targetClass);
		LockedMethod found = this.methods.get(cacheKey);
		if (found == null) {
			found = inspect(method, targetClass);
			if (found != null) {
				this.methods.put(cacheKey, found);
			}
		}
		return found;
	}

	private @Nullable LockedMethod inspect(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Method specific = specific(method, userClass);
		try {
			return read(specific, userClass);
		}
		catch (InvalidAnnotationException ex) {
			throw LockStartUpException.of(specific, ex.problem(), ex.action(), ex.getCause());
		}
		catch (AnnotationConfigurationException ex) {
			throw LockStartUpException.of(specific, String.valueOf(ex.getMessage()), "Keep one of name and value.", ex);
		}
	}

	/**
	 * Returns the method that a call runs. Woven code asks when that has begun, perhaps
	 * by a call of {@code super}.
	 */
	private Method specific(Method method, Class<?> userClass) {
		// The class of a JDK proxy or a lambda has no names of parameters.
		if (Proxy.isProxyClass(userClass) || ClassUtils.isLambdaClass(userClass)) {
			return ClassUtils.getInterfaceMethodIfPossible(method, userClass);
		}
		return AopUtils.getMostSpecificMethod(method, this.woven ? method.getDeclaringClass() : userClass);
	}

	private @Nullable LockedMethod read(Method method, Class<?> userClass) {
		// Kotlin copies annotations to what it makes of a suspending function.
		if (method.isSynthetic()) {
			return null;
		}
		MergedAnnotation<DistributedLock> onMethod = LockAnnotations.of(method);
		if (onMethod == null && method.getDeclaringClass() != userClass) {
			onMethod = LockAnnotations.ofInterfaces(method, userClass);
		}
		if (onMethod != null) {
			return read(method, userClass, onMethod, true);
		}
		if (!Modifier.isPublic(method.getModifiers()) || Modifier.isStatic(method.getModifiers())
				|| isCommonMethod(method)) {
			return null;
		}
		MergedAnnotation<DistributedLock> onType = onType(method, userClass);
		return (onType != null) ? read(method, userClass, onType, false) : null;
	}

	private LockedMethod read(Method method, Class<?> userClass, MergedAnnotation<DistributedLock> annotation,
			boolean explicit) {
		checkReachable(method, explicit);
		return this.annotations.parse(method, userClass, annotation, explicit, this.later.check(method, userClass));
	}

	/**
	 * Finds the annotation of the type. The weaver goes by the one that declares the
	 * method; one that only inherits it counts, too, so that the check refuses it.
	 */
	private @Nullable MergedAnnotation<DistributedLock> onType(Method method, Class<?> userClass) {
		MergedAnnotation<DistributedLock> declared = this.woven ? LockAnnotations.of(method.getDeclaringClass()) : null;
		return (declared != null) ? declared : LockAnnotations.of(userClass);
	}

	/**
	 * Whether a method is one that every object has, or every proxy.
	 */
	private static boolean isCommonMethod(Method method) {
		return method.getDeclaringClass().isAssignableFrom(Advised.class)
				|| method.getDeclaringClass() == DecoratingProxy.class || ReflectionUtils.isEqualsMethod(method)
				|| ReflectionUtils.isHashCodeMethod(method) || ReflectionUtils.isToStringMethod(method);
	}

	private void checkReachable(Method method, boolean explicit) {
		if (Modifier.isStatic(method.getModifiers())) {
			throw unreachable(method, "the method is static, so nothing can lock its calls.");
		}
		if (AnnotatedElementUtils.hasAnnotation(method, Bean.class)) {
			throw unreachable(method, "the method makes a bean, whose own methods would not be locked.");
		}
		if (this.woven) {
			return;
		}
		if (Modifier.isPrivate(method.getModifiers())) {
			throw unreachable(method, "the method is private, so no proxy can lock its calls.");
		}
		if (explicit && isCallback(method)) {
			throw calledBySpring(method);
		}
	}

	private static boolean isCallback(Method method) {
		Class<?> type = method.getDeclaringClass();
		return Arrays.stream(method.getAnnotations())
			.anyMatch((annotation) -> CALLBACKS.contains(annotation.annotationType().getName()))
				|| (method.getParameterCount() == 0 && ((InitializingBean.class.isAssignableFrom(type)
						&& method.getName().equals("afterPropertiesSet"))
						|| (DisposableBean.class.isAssignableFrom(type) && method.getName().equals("destroy"))));
	}

	static LockStartUpException calledBySpring(Method method) {
		return unreachable(method, "Spring calls the method on the object itself, so no proxy can lock its calls.");
	}

	private static LockStartUpException unreachable(Method method, String reason) {
		return LockStartUpException.of(method, reason,
				"Annotate a public method that other beans call, or use LockClient.execute.");
	}

}
