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
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

import io.holdfast.lock.LockClient;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Looks at every bean when the application starts, and stops it if a locked method is not
 * valid, has no client, or can be called without its lock: a bean that was created before
 * the advisor, for example, has no proxy.
 */
public final class LockedMethodsCheck implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(LockedMethodsCheck.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final LockAdvisor advisor;

	private final Supplier<LockClient> client;

	/**
	 * Create the check.
	 * @param beanFactory where the beans are
	 * @param advisor what must be around their locked methods
	 * @param client the client that gives the locks
	 */
	public LockedMethodsCheck(ConfigurableListableBeanFactory beanFactory, LockAdvisor advisor,
			Supplier<LockClient> client) {
		this.beanFactory = beanFactory;
		this.advisor = advisor;
		this.client = client;
	}

	@Override
	public void afterSingletonsInstantiated() {
		Set<LockedMethod> all = new LinkedHashSet<>();
		for (String beanName : this.beanFactory.getBeanNamesForType(Object.class, true, false)) {
			Collection<LockedMethod> methods = lockedMethods(beanName);
			if (!methods.isEmpty()) {
				all.addAll(methods);
				checkProxy(beanName, methods);
			}
		}
		if (!all.isEmpty()) {
			checkClient(all.iterator().next());
			all.forEach(this::checkQuorum);
			CommitGuard.install(this.beanFactory);
		}
	}

	private Collection<LockedMethod> lockedMethods(String beanName) {
		try {
			Class<?> type = typeOf(beanName);
			Collection<LockedMethod> methods = (type != null) ? lockedMethods(type) : List.of();
			return methods.isEmpty() ? lockedMethodsOfInterfaces(beanName) : methods;
		}
		catch (InvalidLockedMethodException ex) {
			throw ex;
		}
		catch (IllegalStateException | LinkageError ex) {
			// Signatures of a library may name classes that are not there. Nobody can
			// make a proxy of such a bean either.
			logger.debug("Bean '" + beanName + "' cannot be looked at", ex);
			return List.of();
		}
	}

	private Collection<LockedMethod> lockedMethods(Class<?> type) {
		return LockedMethods.mayBeIn(type) ? this.advisor.methods().find(type) : List.of();
	}

	/**
	 * Finds the locked methods of a proxy that the class behind it does not know.
	 */
	private Collection<LockedMethod> lockedMethodsOfInterfaces(String beanName) {
		Object bean = existing(beanName);
		if (bean == null || !AopUtils.isJdkDynamicProxy(bean)) {
			return List.of();
		}
		return Arrays.stream(AopProxyUtils.proxiedUserInterfaces(bean))
			.flatMap((type) -> lockedMethods(type).stream())
			.toList();
	}

	private @Nullable Class<?> typeOf(String beanName) {
		Object bean = existing(beanName);
		if (bean != null) {
			return AopProxyUtils.ultimateTargetClass(bean);
		}
		return AutoProxyUtils.determineTargetClass(this.beanFactory, beanName);
	}

	private @Nullable Object existing(String beanName) {
		return this.beanFactory.isFactoryBean(beanName) ? null : this.beanFactory.getSingleton(beanName);
	}

	private void checkProxy(String beanName, Collection<LockedMethod> methods) {
		Object bean = existing(beanName);
		// The target of a scoped proxy is another bean.
		if (bean == null || bean instanceof ScopedObject) {
			return;
		}
		LockedMethod first = methods.iterator().next();
		if (!isAdvised(bean)) {
			throw InvalidLockedMethodException.of(first.method(),
					"bean '" + beanName + "' has no proxy, so its calls would not be locked.",
					"It was created too early, usually because a BeanPostProcessor or a @Configuration that defines one "
							+ "needs it. Make that @Bean method static, or inject the bean lazily.");
		}
		if (Proxy.isProxyClass(bean.getClass())) {
			methods.stream()
				.filter((method) -> method.explicit() && !isInInterface(method.method(), bean.getClass()))
				.findFirst()
				.ifPresent((method) -> {
					throw InvalidLockedMethodException.of(method.method(), "bean '" + beanName
							+ "' is proxied by its interfaces, and none of them has the method, so no proxy can lock its calls.",
							"Declare the method in an interface, or set spring.aop.proxy-target-class to true.");
				});
		}
		else {
			Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
			methods.forEach((method) -> LockedMethods.checkOverridable(method.method(), type, method.explicit()));
		}
	}

	private boolean isAdvised(Object bean) {
		Object current = bean;
		while (current instanceof Advised advised) {
			for (Advisor advisor : advised.getAdvisors()) {
				if (this.advisor.equals(advisor)) {
					return true;
				}
			}
			current = AopProxyUtils.getSingletonTarget(current);
		}
		// Of an opaque proxy nothing more can be seen.
		return current instanceof SpringProxy;
	}

	private static boolean isInInterface(Method method, Class<?> proxyClass) {
		return method.getDeclaringClass().isInterface() || Arrays.stream(proxyClass.getInterfaces())
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.anyMatch(
					(declared) -> AopUtils.getMostSpecificMethod(declared, method.getDeclaringClass()).equals(method));
	}

	private void checkClient(LockedMethod method) {
		try {
			Objects.requireNonNull(this.client.get());
		}
		catch (BeansException ex) {
			throw InvalidLockedMethodException.of(method.method(),
					"there is no LockClient to use: " + ex.getMessage() + ".",
					"Have one RedisConnectionFactory, or mark one of several with @Primary, or define a LockClient bean. "
							+ "Set holdfast.lock.enabled to false to run without any locks.",
					ex);
		}
	}

	/**
	 * Checks what locks on a quorum cannot do.
	 */
	private void checkQuorum(LockedMethod method) {
		try {
			this.client.get().getLock("any", method.type());
		}
		catch (UnsupportedOperationException ex) {
			throw InvalidLockedMethodException.of(method.method(),
					"type " + method.type() + " is not supported: " + ex.getMessage() + ".",
					"Use the type REENTRANT, or locks on one Redis (without holdfast.lock.quorum.nodes).", ex);
		}
		Duration leaseTime = method.times().leaseTime();
		Duration longest = this.advisor.settings().longestLease();
		if (leaseTime != null && longest != null && leaseTime.compareTo(longest) > 0) {
			throw InvalidLockedMethodException.of(method.method(),
					"leaseTime " + leaseTime + " is longer than the restart guard of the quorum, " + longest + ".",
					"Use a shorter lease or -1, or set holdfast.lock.quorum.restart-guard to a longer time.");
		}
	}

}
