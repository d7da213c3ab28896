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

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Looks at every bean when the application starts, and stops it if a locked method is not
 * valid, has no client, or can be called without its lock: a bean that was created before
 * the advisor, for example, has no proxy. All mistakes are told at once.
 */
public final class LockedMethodsCheck implements SmartInitializingSingleton {

	private final ConfigurableListableBeanFactory beanFactory;

	private final ApplicationLocks locks;

	/** What must be around the proxies of beans; none if the locks are woven. */
	private final @Nullable LockAdvisor advisor;

	private final @Nullable WovenLocks woven;

	private final Supplier<LockClient> client;

	/**
	 * Create the check of methods that proxies lock.
	 * @param beanFactory where the beans are
	 * @param advisor what must be around their locked methods
	 * @param client the client that gives the locks
	 */
	public LockedMethodsCheck(ConfigurableListableBeanFactory beanFactory, LockAdvisor advisor,
			Supplier<LockClient> client) {
		this(beanFactory, advisor.locks(), advisor, null, client);
	}

	/**
	 * Create the check of methods into which their locks are woven.
	 * @param beanFactory where the beans are
	 * @param locks what must be in their locked methods
	 * @param client the client that gives the locks
	 */
	public LockedMethodsCheck(ConfigurableListableBeanFactory beanFactory, WovenLocks locks,
			Supplier<LockClient> client) {
		this(beanFactory, locks.locks(), null, locks, client);
	}

	private LockedMethodsCheck(ConfigurableListableBeanFactory beanFactory, ApplicationLocks locks,
			@Nullable LockAdvisor advisor, @Nullable WovenLocks woven, Supplier<LockClient> client) {
		this.beanFactory = beanFactory;
		this.locks = locks;
		this.advisor = advisor;
		this.woven = woven;
		this.client = client;
	}

	@Override
	public void afterSingletonsInstantiated() {
		Mistakes mistakes = new Mistakes();
		Set<LockedMethod> all = new LinkedHashSet<>();
		Map<Class<?>, Collection<LockedMethod>> types = new LinkedHashMap<>();
		for (String beanName : this.locks.beans().names()) {
			Collection<LockedMethod> methods = this.locks.beans().find(beanName, mistakes);
			if (!methods.isEmpty()) {
				all.addAll(methods);
				types.put(Objects.requireNonNull(this.locks.beans().type(beanName)), methods);
				mistakes.collect(() -> checkProxy(beanName, methods, mistakes));
			}
		}
		if (!all.isEmpty()) {
			checkClient(all, mistakes);
		}
		mistakes.throwIfAny();
		// Code that is woven may be locked outside of beans, too.
		if (!all.isEmpty() || this.advisor == null) {
			CommitGuard.install(this.beanFactory);
		}
		if (this.advisor != null) {
			types.forEach(SelfCalls::report);
		}
	}

	private void checkProxy(String beanName, Collection<LockedMethod> methods, Mistakes mistakes) {
		WovenLocks woven = this.woven;
		if (woven != null) {
			methods.forEach((method) -> mistakes.collect(() -> woven.check(method.method())));
			return;
		}
		Object bean = this.locks.beans().existing(beanName);
		// The target of a scoped proxy is another bean.
		if (bean == null || bean instanceof ScopedObject) {
			return;
		}
		if (this.advisor != null && !isAdvised(bean, this.advisor)) {
			throw InvalidLockedMethodException.of(methods.iterator().next().method(),
					"bean '" + beanName + "' has no proxy, so its calls would not be locked.",
					"It was created too early, usually because a BeanPostProcessor or a @Configuration that defines one "
							+ "needs it. Make that @Bean method static, or inject the bean lazily.");
		}
		methods.forEach((method) -> mistakes.collect(() -> ProxyCheck.check(beanName, bean, method)));
	}

	private static boolean isAdvised(Object bean, Advisor advisor) {
		Object current = bean;
		while (current instanceof Advised advised) {
			if (Arrays.asList(advised.getAdvisors()).contains(advisor)) {
				return true;
			}
			current = AopProxyUtils.getSingletonTarget(current);
		}
		// Of an opaque proxy nothing more can be seen.
		return current instanceof SpringProxy;
	}

	private void checkClient(Collection<LockedMethod> methods, Mistakes mistakes) {
		try {
			Objects.requireNonNull(this.client.get());
		}
		catch (BeansException ex) {
			mistakes.add(InvalidLockedMethodException.of(methods.iterator().next().method(),
					"there is no LockClient to use: " + ex.getMessage() + ".",
					"Have one RedisConnectionFactory, or mark one of several with @LockConnectionFactory or @Primary, or "
							+ "define a LockClient bean. Set holdfast.lock.enabled to false to run without any locks.",
					ex));
			return;
		}
		methods.forEach((method) -> mistakes.collect(() -> checkType(method)));
		methods.forEach((method) -> mistakes.collect(() -> checkLease(method)));
	}

	/**
	 * Checks the order among waiters, which locks on a quorum do not have.
	 */
	private void checkType(LockedMethod method) {
		try {
			this.client.get().getLock("any", method.type());
		}
		catch (UnsupportedOperationException ex) {
			throw InvalidLockedMethodException.of(method.method(),
					"type " + method.type() + " is not supported: " + ex.getMessage() + ".",
					"Use the type REENTRANT, or locks on one Redis (without holdfast.lock.quorum.nodes).", ex);
		}
	}

	/**
	 * Checks the lease. On a quorum none may be longer than the restart guard.
	 */
	private void checkLease(LockedMethod method) {
		Duration longest = this.locks.settings().longestLease();
		if (longest == null) {
			return;
		}
		Duration leaseTime = method.leaseTime(longest);
		if (leaseTime.compareTo(longest) > 0) {
			throw InvalidLockedMethodException.of(method.method(),
					"leaseTime " + LockOptions.describe(leaseTime) + " is longer than the restart guard of the quorum, "
							+ LockOptions.describe(longest) + ".",
					"Use a shorter lease, or -1 for the application's default, holdfast.lock.lease-time, or set "
							+ "holdfast.lock.quorum.restart-guard to a longer time.");
		}
	}

}
