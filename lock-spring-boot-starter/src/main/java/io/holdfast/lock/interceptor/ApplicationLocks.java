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
import java.util.function.Function;
import java.util.function.Supplier;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;

import org.springframework.aop.framework.autoproxy.ProxyCreationContext;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The locking of one application context, shared by proxies and woven code.
 *
 * @param methods the locked methods
 * @param beans the beans that have them
 * @param proxies checks that proxies can lock their calls
 * @param interceptor locks the calls
 * @param clients gives the client of a method
 * @param settings what holds for all methods
 */
record ApplicationLocks(LockedMethods methods, LockedBeans beans, ProxyCheck proxies, LockInterceptor interceptor,
		Function<LockedMethod, LockClient> clients, Supplier<LockSettings> settings) {

	/**
	 * Creates the locks.
	 * @param woven whether they need no proxies
	 */
	static ApplicationLocks of(ConfigurableListableBeanFactory beanFactory, Supplier<LockClient> client,
			Supplier<LockSettings> settings, boolean woven) {
		LockedMethods methods = new LockedMethods(beanFactory, woven);
		RunningCalls calls = new RunningCalls();
		beanFactory.registerSingleton(RunningCalls.class.getName(), calls);
		Function<LockedMethod, LockClient> clients = (method) -> method.client().isEmpty() ? client.get()
				: beanFactory.getBean(method.client(), LockClient.class);
		return new ApplicationLocks(methods, new LockedBeans(beanFactory, methods), new ProxyCheck(beanFactory),
				new LockInterceptor(methods, clients, settings, calls), clients, settings);
	}

	/**
	 * Whether a method is locked.
	 * @throws LockStartUpException if it is not valid
	 */
	boolean isLocked(Method method, Class<?> targetClass) {
		LockedMethod found = this.methods.find(method, targetClass);
		String beanName = ProxyCreationContext.getCurrentProxiedBeanName();
		if (found != null && beanName != null) {
			// All of them: Spring asks until one is
			this.proxies.checkBefore(beanName, this.methods, targetClass);
		}
		return found != null;
	}

}
