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

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Finds the locked methods of all beans of an application.
 *
 * @param beanFactory has the beans
 * @param methods finds those of a class
 */
record LockedBeans(ConfigurableListableBeanFactory beanFactory, LockedMethods methods) {

	private static final Log logger = LogFactory.getLog(LockedBeans.class);

	String[] names() {
		return this.beanFactory.getBeanNamesForType(Object.class, true, false);
	}

	/**
	 * Finds the locked methods of a bean.
	 * @throws LockStartUpException if one is not valid
	 */
	Collection<LockedMethod> find(String beanName) {
		try {
			Object bean = existing(beanName);
			Class<?> type = type(beanName);
			Collection<LockedMethod> found = (type != null) ? find(type) : List.of();
			return (found.isEmpty() && bean != null) ? findInInterfaces(bean) : found;
		}
		catch (IllegalStateException | LinkageError ex) {
			// Signatures of a library may name classes that are not there. Nobody can
			// make a proxy of such a bean either.
			logger.debug("Bean '" + beanName + "' cannot be looked at", ex);
			return List.of();
		}
	}

	/**
	 * Returns the class behind all proxies of a bean, or {@code null} if nobody knows it.
	 */
	@Nullable Class<?> type(String beanName) {
		Object bean = existing(beanName);
		return (bean != null) ? AopProxyUtils.ultimateTargetClass(bean)
				: AutoProxyUtils.determineTargetClass(this.beanFactory, beanName);
	}

	/**
	 * Returns what a factory that was created already makes, or else the singleton of a
	 * name if that was created already.
	 */
	@Nullable Object product(String beanName) {
		boolean made = this.beanFactory.isFactoryBean(beanName) && this.beanFactory.containsSingleton(beanName)
				&& this.beanFactory.isSingleton(beanName);
		return made ? this.beanFactory.getBean(beanName) : existing(beanName);
	}

	/**
	 * Returns the singleton of a name if it was created already. Asks no factory.
	 */
	@Nullable Object existing(String beanName) {
		return this.beanFactory.isFactoryBean(beanName) ? null : this.beanFactory.getSingleton(beanName);
	}

	private Collection<LockedMethod> find(Class<?> type) {
		return LockedMethods.mayBeIn(type) ? this.methods.find(type) : List.of();
	}

	/**
	 * Finds the locked methods of a proxy that the class behind it does not know.
	 */
	private Collection<LockedMethod> findInInterfaces(Object bean) {
		if (!AopUtils.isJdkDynamicProxy(bean)) {
			return List.of();
		}
		return Arrays.stream(AopProxyUtils.proxiedUserInterfaces(bean)).flatMap((type) -> find(type).stream()).toList();
	}

}
