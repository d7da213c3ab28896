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
import java.util.function.Supplier;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;

import org.springframework.aop.framework.autoproxy.ProxyCreationContext;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The locking of one application context, shared by proxies and woven code.
 */
final class ApplicationLocks {

	private final ConfigurableListableBeanFactory beanFactory;

	private final LockedMethods methods;

	private final LockedBeans beans;

	private final ProxyCheck proxies;

	private final LockInterceptor interceptor;

	private final Supplier<LockClient> client;

	/**
	 * Create the locks.
	 * @param woven whether they need no proxies
	 */
	ApplicationLocks(ConfigurableListableBeanFactory beanFactory, Supplier<LockClient> client,
			Supplier<LockSettings> settings, boolean woven) {
		this.beanFactory = beanFactory;
		this.methods = new LockedMethods(beanFactory, woven);
		this.beans = new LockedBeans(beanFactory, this.methods);
		this.proxies = new ProxyCheck(beanFactory);
		RunningCalls calls = new RunningCalls();
		beanFactory.registerSingleton(RunningCalls.class.getName(), calls);
		this.interceptor = new LockInterceptor(this.methods, this::client, settings, calls);
		this.client = client;
	}

	/**
	 * Whether a method is locked.
	 * @throws InvalidLockedMethodException if it is not valid
	 */
	boolean isLocked(Method method, Class<?> targetClass) {
		LockedMethod found = this.methods.find(method, targetClass);
		String beanName = ProxyCreationContext.getCurrentProxiedBeanName();
		if (found != null && beanName != null) {
			this.proxies.checkBefore(beanName, found, targetClass);
		}
		return found != null;
	}

	/**
	 * Returns the client that gives the locks of a method.
	 */
	LockClient client(LockedMethod method) {
		return method.client().isEmpty() ? this.client.get()
				: this.beanFactory.getBean(method.client(), LockClient.class);
	}

	ProxyCheck proxies() {
		return this.proxies;
	}

	LockedBeans beans() {
		return this.beans;
	}

	LockInterceptor interceptor() {
		return this.interceptor;
	}

}
