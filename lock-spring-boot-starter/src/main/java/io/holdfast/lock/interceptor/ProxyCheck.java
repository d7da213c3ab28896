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
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.util.ClassUtils;

/**
 * Whether proxies can take the calls of a method: before there is one, as far as it can
 * be foreseen, so that a bean with a mistake is not created; and when there is one.
 */
final class ProxyCheck {

	private static final String INTERFACES = AutoProxyUtils.class.getName() + ".exposedInterfaces";

	private final ConfigurableListableBeanFactory beanFactory;

	/** Names and classes of beans that are right: some are created again and again. */
	private final Set<List<Object>> right = ConcurrentHashMap.newKeySet();

	ProxyCheck(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Checks that a proxy of a bean will be able to take the calls of all its methods.
	 * @throws LockStartUpException if it will not
	 */
	void checkBefore(String beanName, LockedMethods methods, Class<?> targetClass) {
		List<Object> bean = List.of(beanName, targetClass);
		if (!this.right.contains(bean)) {
			methods.find(targetClass).forEach((method) -> checkBefore(beanName, method, targetClass));
			this.right.add(bean);
		}
	}

	private void checkBefore(String beanName, LockedMethod method, Class<?> targetClass) {
		checkCallback(beanName, method, targetClass);
		if (willBeSubclass(beanName, targetClass)) {
			checkOverridable(method.method(), targetClass, method.isExplicit());
		}
	}

	/**
	 * Checks that Spring does not call the method at the start or the end of the bean.
	 */
	private void checkCallback(String beanName, LockedMethod locked, Class<?> targetClass) {
		Method method = locked.method();
		if (!locked.isExplicit() || method.getParameterCount() > 0 || !this.beanFactory.containsBeanDefinition(beanName)
				|| this.beanFactory.isFactoryBean(beanName)) {
			return;
		}
		RootBeanDefinition definition = new RootBeanDefinition(
				(RootBeanDefinition) this.beanFactory.getMergedBeanDefinition(beanName));
		definition.setTargetType(targetClass);
		definition.resolveDestroyMethodIfNecessary();
		if (method.getName().equals(definition.getInitMethodName())
				|| (!definition.isPrototype() && method.getName().equals(definition.getDestroyMethodName()))) {
			throw LockedMethods.calledBySpring(method);
		}
	}

	private boolean willBeSubclass(String beanName, Class<?> targetClass) {
		if (Proxy.isProxyClass(targetClass) || ClassUtils.isLambdaClass(targetClass) || hasInterfaces(beanName)) {
			return false;
		}
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		return ProxyInterfaces.areMissing(targetClass) || (this.beanFactory.containsBean(creator)
				&& this.beanFactory.getBean(creator, ProxyConfig.class).isProxyTargetClass());
	}

	/**
	 * Whether the definition of a bean says which interfaces its proxy has, as
	 * {@code @Proxyable} of Spring 7 lets it.
	 */
	private boolean hasInterfaces(String beanName) {
		return this.beanFactory.containsBeanDefinition(beanName)
				&& this.beanFactory.getMergedBeanDefinition(beanName).hasAttribute(INTERFACES);
	}

	/**
	 * Checks that the proxy of a bean takes the calls of a method.
	 * @throws LockStartUpException if it does not
	 */
	static void check(String beanName, Object proxy, LockedMethod method) {
		Method locked = method.method();
		if (!Proxy.isProxyClass(proxy.getClass())) {
			checkOverridable(locked, AopProxyUtils.ultimateTargetClass(proxy), method.isExplicit());
		}
		else if (method.isExplicit() && !locked.getDeclaringClass().isInterface()
				&& inInterface(locked, proxy.getClass()) == null) {
			throw LockStartUpException.of(locked, "bean '" + beanName
					+ "' is proxied by its interfaces, and none of them has the method, so no proxy can lock its calls.",
					"Declare the method in an interface, or set spring.aop.proxy-target-class to true.");
		}
	}

	private static void checkOverridable(Method method, Class<?> targetClass, boolean explicit) {
		boolean finalClass = Modifier.isFinal(targetClass.getModifiers());
		if (finalClass || Modifier.isFinal(method.getModifiers())) {
			throw LockStartUpException.of(method,
					"the " + (finalClass ? "class" : "method") + " is final, so no proxy can lock its calls.",
					(!explicit && method.getDeclaringClass() != targetClass && !finalClass)
							? "Annotate the methods to lock instead of the type " + targetClass.getName() + "."
							: "Remove \"final\" (in Kotlin: make class and method \"open\", or use the kotlin-spring plugin).");
		}
		if (!isOverridable(method, targetClass)) {
			throw LockStartUpException.of(method,
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

	/**
	 * Returns a method as an interface of a proxy declares it, or {@code null} if none
	 * does.
	 */
	static @Nullable Method inInterface(Method method, Class<?> proxyClass) {
		return Arrays.stream(proxyClass.getInterfaces())
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.filter((declared) -> AopUtils.getMostSpecificMethod(declared, method.getDeclaringClass()).equals(method))
			.findFirst()
			.orElse(null);
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
